import { type ComponentProps, useId } from 'react';

interface GuardedButtonProps extends ComponentProps<'button'> {
  /** Why it cannot be used; undefined when it can. */
  reason?: string | undefined;
}

/** A button that is off for a reason, which stands under it. */
export function GuardedButton({ reason, disabled, ...button }: GuardedButtonProps) {
  const id = useId();
  const isOff = reason !== undefined;
  return (
    <div className="guarded">
      <button type="button" {...button} disabled={isOff || disabled} {...(isOff ? { 'aria-describedby': id } : {})} />
      {isOff && (
        <p className="soft small" id={id}>
          {reason}
        </p>
      )}
    </div>
  );
}
