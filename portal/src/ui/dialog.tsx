import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useLayoutEffect } from 'react';
import { flushSync } from 'react-dom';
import { Closable, useClosing } from './closing.js';

interface OpenDialogProps {
  title: string;
  /** Without it, the dialog ends by its own buttons alone. */
  onClose?: (() => void) | undefined;
  /** Whether a click beside it ends it, as only where nothing typed is lost by that. */
  isPassing?: boolean;
  /** Whether the page behind it cannot be seen. */
  hidesPage?: boolean;
  children: ReactNode;
}

/** Something to fill in or to read, over the page. What is unsaved in it is not lost unasked. */
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

/** Closes a dialog at once, before the next thing is done: what was typed in it is saved, and nobody is asked about it. */
export function closeFirst(onClose: () => void): void {
  flushSync(onClose);
}

/** The dialogs that end by their own buttons alone. */
const unending = new Set<object>();

/** Whether a dialog is open that has to be ended by its own buttons, before anything else is opened. */
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
