import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ReactNode, useRef } from 'react';

interface QuestionProps {
  title: string;
  /** Describes the consequences. */
  children?: ReactNode;
  /** Label of the cancel button. */
  safe: string;
  onSafe: () => void;
  action: ReactNode;
}

/** Enter and Escape cancel. */
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
