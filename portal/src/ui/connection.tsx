import { useEffect, useState } from 'react';
import { connection } from '../live.js';
import { useStore } from '../store.js';

/** How long a lost connection is not worth a word, in milliseconds. */
const UNSAID_MS = 1_000;

/** Says that changes are not heard at the moment, and when they are again. */
export function ConnectionState() {
  const state = useStore(connection);
  const [said, say] = useState('');
  useEffect(() => {
    if (state !== 'lost') {
      say((before) => (before === '' ? '' : 'Up to date'));
      return;
    }
    const timer = setTimeout(() => say('Reconnecting …'), UNSAID_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <span className="connection" role="status" data-state={state}>
      {said}
    </span>
  );
}
