interface DialogButtonsProps {
  isOff: boolean;
  /** What the button that does it says. */
  doIt: string;
  onClose: () => void;
}

/** The way out of a dialog, and what it is for. */
export function DialogButtons({ isOff, doIt, onClose }: DialogButtonsProps) {
  return (
    <div className="actions">
      <LeaveButton text="Cancel" onClose={onClose} />
      <button type="submit" disabled={isOff}>
        {doIt}
      </button>
    </div>
  );
}

/** The only button below what a dialog shows. */
export function DialogEnd({ text, onClose }: LeaveButtonProps) {
  return (
    <div className="actions">
      <LeaveButton text={text} onClose={onClose} />
    </div>
  );
}

interface LeaveButtonProps {
  text: 'Cancel' | 'Close';
  onClose: () => void;
}

function LeaveButton({ text, onClose }: LeaveButtonProps) {
  return (
    <button type="button" className="plain" onClick={onClose}>
      {text}
    </button>
  );
}
