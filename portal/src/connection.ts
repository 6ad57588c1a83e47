import { useEffect, useState } from 'react';
import { Store, useStore } from './store.js';

/** The connection that changes are pushed over: not needed yet, open, or lost and being opened again. */
export type Connection = 'none' | 'live' | 'lost';

export const connection = new Store<Connection>('none');

/** A loss is shown only if it lasts this long, in milliseconds. */
const UNSAID_MS = 1_000;

/** Whether the connection is lost, and has been for long enough to be worth a word. */
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
