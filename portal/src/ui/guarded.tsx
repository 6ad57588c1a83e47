import { type ComponentProps, type ReactNode, useId } from 'react';

interface Off {
  /** For what is off: switches it off, and points at the reason. */
  off: { disabled?: true; 'aria-describedby'?: string };
  /** Says it, once for all that is off because of it. */
  note: ReactNode;
}

/** What somebody may not do is shown, but off, with the reason beside it. @param reason undefined where it is on */
export function useOff(reason: string | undefined): Off {
  const id = useId();
  if (reason === undefined) return { off: {}, note: null };
  const note = (
    <p className="soft small" id={id}>
      {reason}
    </p>
  );
  return { off: { disabled: true, 'aria-describedby': id }, note };
}

interface GuardedButtonProps extends ComponentProps<'button'> {
  /** Why it cannot be used; undefined when it can. */
  reason?: string | undefined;
}

/** A button that is off for a reason, which stands under it. */
export function GuardedButton({ reason, ...button }: GuardedButtonProps) {
  const { off, note } = useOff(reason);
  return (
    <div className="guarded">
      <button type="button" {...button} {...off} />
      {note}
    </div>
  );
}
