import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

/** Scrolls a row of links so that the current one is centered. */
export function useOpenLink<Row extends HTMLElement>(): RefObject<Row | null> {
  const row = useRef<Row>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    const link = row.current?.querySelector('[aria-current]');
    if (row.current && link) row.current.scrollLeft += middleOf(link) - middleOf(row.current);
  }, [pathname]);
  return row;
}

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
}
