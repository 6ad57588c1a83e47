import { type FocusEvent, useLayoutEffect, useRef } from 'react';

/**
 * Keeps the focus within something of which parts come and go: where the part that has it goes away, another one takes it.
 * @param next which one; the whole takes it, which has to be able to, where there is none
 */
export function useKeptFocus<Whole extends HTMLElement>(next: (whole: Whole) => HTMLElement | null = () => null) {
  const whole = useRef<Whole>(null);
  const holder = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const isLost = holder.current !== null && !canHold(holder.current) && document.activeElement === document.body;
    if (isLost && whole.current) (next(whole.current) ?? whole.current).focus();
  });
  return {
    ref: whole,
    onFocus: ({ target }: FocusEvent) => {
      holder.current = target;
    },
    // Told where somebody goes elsewhere, and where the part is switched off; not where it goes away.
    onBlur: ({ target }: FocusEvent) => {
      if (canHold(target) && document.hasFocus()) holder.current = null;
    },
  };
}

function canHold(element: Element): boolean {
  return element.isConnected && !element.matches(':disabled');
}
