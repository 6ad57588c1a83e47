import { useEffect } from 'react';
import { Store, useStore } from './store.js';

/** The ids of what is being ended, or was, by who is here. */
const endedHere = new Store<ReadonlySet<string>>(new Set());

/**
 * Ends something by whose pages this is done: who does so sees them until another page is there, and not that it is gone.
 * @param end answers nothing where it was refused
 */
export async function endHere<Answer>(id: string, end: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  endedHere.set(new Set([...endedHere.get(), id]));
  const answer = await end();
  if (answer === undefined) forget(id);
  return answer;
}

/** Whether something is gone because who is here ends it. Its pages ask, and once they are left, that is forgotten. */
export function useEndedHere(id: string): boolean {
  useEffect(() => () => forget(id), [id]);
  return useStore(endedHere).has(id);
}

function forget(id: string): void {
  endedHere.set(new Set([...endedHere.get()].filter((one) => one !== id)));
}
