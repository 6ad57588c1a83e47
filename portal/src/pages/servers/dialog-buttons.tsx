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
      <button type="button" className="plain" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" disabled={isOff}>
        {doIt}
      </button>
    </div>
  );
}
