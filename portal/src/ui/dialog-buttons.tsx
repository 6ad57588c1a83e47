import { useClose } from './closing.js';

interface DialogButtonsProps {
  isOff: boolean;
  doIt: string;
  /** Marks an action that takes something away. */
  isBad?: boolean;
}

export function DialogButtons({ isOff, doIt, isBad = false }: DialogButtonsProps) {
  return (
    <div className="actions">
      <LeaveButton text="Cancel" />
      <button type="submit" className={isBad ? 'bad' : undefined} disabled={isOff}>
        {doIt}
      </button>
    </div>
  );
}

export function DialogEnd({ text }: LeaveButtonProps) {
  return (
    <div className="actions">
      <LeaveButton text={text} />
    </div>
  );
}

interface LeaveButtonProps {
  text: 'Cancel' | 'Close';
}

function LeaveButton({ text }: LeaveButtonProps) {
  return (
    <button type="button" className="plain" onClick={useClose()}>
      {text}
    </button>
  );
}
