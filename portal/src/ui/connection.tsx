import { useEffect, useState } from 'react';
import { connection, useIsLost } from '../connection.js';
import { useStore } from '../store.js';

export function ConnectionState() {
  const state = useStore(connection);
  const isLost = useIsLost();
  const [said, say] = useState('');
  useEffect(() => {
    if (isLost) say('Reconnecting…');
    else say((before) => (before === '' ? '' : 'Up to date'));
  }, [isLost]);
  return (
    <span className="connection" role="status" data-state={state}>
      {said}
    </span>
  );
}
