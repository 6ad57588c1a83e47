import { type RefCallback, useCallback, useEffect, useRef } from 'react';
import { focusHeading } from './page.js';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled)';

/**
 * When the row with the focus is removed, focuses the row in its place, else the last row, else the heading. Another row
 * may come in the same render.
 * @returns ref for the rows' parent
 */
export function useRowFocus(): RefCallback<HTMLElement> {
  const list = useRef<HTMLElement | null>(null);
  const focused = useRef<{ row: Element; place: number } | null>(null);
  useEffect(() => {
    if (!focused.current || focused.current.row.isConnected) return;
    const { place } = focused.current;
    focused.current = null;
    if (hasFocus()) return;
    const rows = [...(list.current?.children ?? [])];
    const next = firstIn(rows[Math.min(place, rows.length - 1)]);
    if (next) next.focus({ preventScroll: true });
    else focusHeading();
  });
  return useCallback((element) => {
    list.current = element;
    const note = ({ target }: FocusEvent) => {
      const rows = [...(element?.children ?? [])];
      const place = rows.findIndex((row) => row.contains(target as Node));
      const row = rows[place];
      focused.current = row ? { row, place } : null;
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
