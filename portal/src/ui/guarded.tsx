import { type ComponentProps, type ReactNode, useId } from 'react';

interface Off {
  /** Attributes that disable a control and refer to the reason. */
  off: { disabled?: true; 'aria-describedby'?: string };
  /** Rendered once for all controls with this reason. */
  note: ReactNode;
}

/** Disables controls and shows why. @param reason undefined if they are enabled */
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
  /** Why the button is disabled; undefined if it is not. */
  reason?: string | undefined;
}

export function GuardedButton({ reason, ...button }: GuardedButtonProps) {
  const { off, note } = useOff(reason);
  return (
    <div className="guarded">
      <button type="button" {...button} {...off} />
      {note}
    </div>
  );
}
