import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ReactNode, useRef } from 'react';

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
