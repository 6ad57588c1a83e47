import { useEffect, useRef } from 'react';
import { connection } from './connection.js';
import { useStore } from './store.js';

/** Calls `renew` after each (re)connect, for subscriptions that do not start with the current state. */
export function useRenewal(renew: () => void, isHeard = true): void {
  const latest = useRef(renew);
  latest.current = renew;
  const isLive = useStore(connection) === 'live' && isHeard;
  useEffect(() => {
    if (isLive) latest.current();
  }, [isLive]);
}
