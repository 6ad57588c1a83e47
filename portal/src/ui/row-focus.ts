import { type RefCallback, useCallback, useEffect, useRef } from 'react';
import { focusHeading } from './page.js';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled)';

/**
 * Keeps the focus near where it was when the row that has it goes: it moves to what takes the row's place, to the last one, or to the
 * page's heading once there is none.
 * @param count how many rows there are
 * @returns for the element whose children the rows are
 */
export function useRowFocus(count: number): RefCallback<HTMLElement> {
  const list = useRef<HTMLElement | null>(null);
  const place = useRef(-1);
  const before = useRef(count);
  useEffect(() => {
    const isFewer = count < before.current;
    before.current = count;
    if (!isFewer || place.current < 0 || hasFocus()) return;
    const rows = [...(list.current?.children ?? [])];
    const next = firstIn(rows[Math.min(place.current, rows.length - 1)]);
    if (next) next.focus({ preventScroll: true });
    else focusHeading();
  }, [count]);
  return useCallback((element) => {
    list.current = element;
    const note = ({ target }: FocusEvent) => {
      place.current = [...(element?.children ?? [])].findIndex((row) => row.contains(target as Node));
    };
    element?.addEventListener('focusin', note);
    return () => {
      list.current = null;
      element?.removeEventListener('focusin', note);
    };
  }, []);
}

/** Whether anything has it: what is removed loses it to the page as a whole. */
function hasFocus(): boolean {
  return document.activeElement !== null && document.activeElement !== document.body;
}

function firstIn(row: Element | undefined): HTMLElement | null {
  if (!row) return null;
  return row.matches(FOCUSABLE) ? (row as HTMLElement) : row.querySelector<HTMLElement>(FOCUSABLE);
}
