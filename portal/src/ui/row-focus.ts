import { type RefCallback, useCallback, useEffect, useRef } from 'react';
import { focusHeading } from './page.js';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled)';

/**
 * When the row with the focus is removed, focuses the row in its place, else the last row, else the heading.
 * @param count number of rows
 * @returns ref for the rows' parent
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

/** Removing the focused element moves the focus to `body`. */
function hasFocus(): boolean {
  return document.activeElement !== null && document.activeElement !== document.body;
}

function firstIn(row: Element | undefined): HTMLElement | null {
  if (!row) return null;
  return row.matches(FOCUSABLE) ? (row as HTMLElement) : row.querySelector<HTMLElement>(FOCUSABLE);
}
