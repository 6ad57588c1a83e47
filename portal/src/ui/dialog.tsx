import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';

interface OpenDialogProps {
  title: string;
  /** Without it, the dialog ends by its own buttons alone. */
  onClose?: (() => void) | undefined;
  /** Whether a click beside it ends it, as only where nothing typed is lost by that. */
  isPassing?: boolean;
  children: ReactNode;
}

/** Something to fill in or to read, over the page. */
export function OpenDialog({ title, onClose, isPassing = false, children }: OpenDialogProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose?.()} disablePointerDismissal={!isPassing}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog card">
          <Dialog.Title>{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface QuestionProps {
  /** The question itself. */
  title: string;
  /** What happens, in the words of the platform. */
  children?: ReactNode;
  /** The way out, which has the focus. */
  safe: string;
  onSafe: () => void;
  /** What does it. */
  action: ReactNode;
}

/** Asks before something that cannot be undone. Enter and Escape take the way out. */
export function Question({ title, children, safe, onSafe, action }: QuestionProps) {
  const safeButton = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onSafe()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog card" initialFocus={safeButton}>
          <AlertDialog.Title>{title}</AlertDialog.Title>
          {children}
          <div className="actions">
            <button type="button" className="plain" ref={safeButton} onClick={onSafe}>
              {safe}
            </button>
            {action}
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
