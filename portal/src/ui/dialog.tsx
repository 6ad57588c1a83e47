import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useLayoutEffect } from 'react';
import { flushSync } from 'react-dom';
import { Closable, useClosing } from './closing.js';

interface OpenDialogProps {
  title: string;
  /** If undefined, only the dialog's own buttons end it. */
  onClose?: (() => void) | undefined;
  /** Closes on a click outside. Set it only if that loses no input. */
  isPassing?: boolean;
  hidesPage?: boolean;
  children: ReactNode;
}

/** Asks before unsaved input is lost. */
export function OpenDialog({ title, onClose, isPassing = false, hidesPage = false, children }: OpenDialogProps) {
  const closing = useClosing(() => onClose?.());
  useMustEnd(onClose === undefined);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closing.close()} disablePointerDismissal={!isPassing}>
      <Dialog.Portal>
        <Dialog.Backdrop className={hidesPage ? 'backdrop opaque' : 'backdrop'} />
        <Dialog.Popup className="dialog card">
          <Closable closing={closing}>
            <Dialog.Title>{title}</Dialog.Title>
            {children}
          </Closable>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Closes a dialog synchronously after saving, so that the next step does not ask about unsaved input. */
export function closeFirst(onClose: () => void): void {
  flushSync(onClose);
}

const unending = new Set<object>();

/** Whether a dialog is open that only its own buttons end. */
export function hasToEnd(): boolean {
  return unending.size > 0;
}

function useMustEnd(must: boolean): void {
  useLayoutEffect(() => {
    if (!must) return;
    const dialog = {};
    unending.add(dialog);
    return () => {
      unending.delete(dialog);
    };
  }, [must]);
}
