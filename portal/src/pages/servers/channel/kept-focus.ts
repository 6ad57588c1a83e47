import { type FocusEvent, useLayoutEffect, useRef } from 'react';

/**
 * Keeps the focus inside an element whose parts come and go.
 * @param next element to focus when the focused one is removed; null for the whole, which must be focusable
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
    // Blur fires when the user moves on or the element is disabled, but not when it is removed.
    onBlur: ({ target }: FocusEvent) => {
      if (canHold(target) && document.hasFocus()) holder.current = null;
    },
  };
}

function canHold(element: Element): boolean {
  return element.isConnected && !element.matches(':disabled');
}
