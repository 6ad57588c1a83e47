import { useEffect } from 'react';
import { Store, useStore } from './store.js';

/** Ids of objects that the current user is deleting or leaving, or just has. */
const endedHere = new Store<ReadonlySet<string>>(new Set());

/**
 * Runs a deletion started from the object's own page, which stays visible until the navigation instead of showing “not
 * found”.
 * @param end resolves to undefined if it was refused
 */
export async function endHere<Answer>(id: string, end: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  endedHere.set(new Set([...endedHere.get(), id]));
  const answer = await end();
  if (answer === undefined) forget(id);
  return answer;
}

/** Whether the current user is ending this object. The mark is dropped when the page unmounts. */
export function useEndedHere(id: string): boolean {
  useEffect(() => () => forget(id), [id]);
  return useStore(endedHere).has(id);
}

function forget(id: string): void {
  endedHere.set(new Set([...endedHere.get()].filter((one) => one !== id)));
}
