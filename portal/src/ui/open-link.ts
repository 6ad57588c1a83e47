import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

/** For a row of links that scrolls sideways where the screen is narrow: the one that is open stands in its middle. */
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
