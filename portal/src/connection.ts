import { useEffect, useState } from 'react';
import { Store, useStore } from './store.js';

/** State of the subscription socket. `none`: not needed. `lost`: reconnecting. */
export type Connection = 'none' | 'live' | 'lost';

export const connection = new Store<Connection>('none');

/** Losses shorter than this are not shown, in milliseconds. */
const UNSAID_MS = 1_000;

/** True after {@link UNSAID_MS} without a connection. */
export function useIsLost(): boolean {
  const isLost = useStore(connection) === 'lost';
  const [isSaid, say] = useState(false);
  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(() => say(true), UNSAID_MS);
    return () => {
      clearTimeout(timer);
      say(false);
    };
  }, [isLost]);
  return isSaid;
}
