import { useEffect } from 'react';
import { Store, useStore } from './store.js';

/** Ids of objects that the user is deleting or leaving. */
const endedHere = new Store<ReadonlySet<string>>(new Set());

/**
 * Keeps an object's page visible while the user deletes or leaves it, instead of showing that it is gone.
 * @param end resolves to undefined if refused
 */
export async function endHere<Answer>(id: string, end: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  endedHere.set(new Set([...endedHere.get(), id]));
  const answer = await end();
  if (answer === undefined) forget(id);
  return answer;
}

/** Whether the user is ending this object. The mark is dropped when the page unmounts. */
export function useEndedHere(id: string): boolean {
  useEffect(() => () => forget(id), [id]);
  return useStore(endedHere).has(id);
}

function forget(id: string): void {
  endedHere.set(new Set([...endedHere.get()].filter((one) => one !== id)));
}
