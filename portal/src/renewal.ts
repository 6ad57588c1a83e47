import { useEffect, useRef } from 'react';
import { connection } from './connection.js';
import { useStore } from './store.js';

/**
 * Asks once more whenever changes are heard again, for what is told without its present state first: what changed meanwhile would be
 * missed otherwise.
 */
export function useRenewal(renew: () => void, isHeard = true): void {
  const latest = useRef(renew);
  latest.current = renew;
  const isLive = useStore(connection) === 'live' && isHeard;
  useEffect(() => {
    if (isLive) latest.current();
  }, [isLive]);
}
