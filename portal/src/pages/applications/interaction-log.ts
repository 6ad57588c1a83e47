interface Row {
  id: string;
}

/** Puts what was read and what came live into one list, the newest first; what was read is renewed, what came live is as it came. */
export function newestFirst<Item extends Row>(read: readonly Item[], live: readonly Item[]): Item[] {
  const known = new Map([...live, ...read].map((item) => [item.id, item]));
  return [...known.values()].sort((one, other) => (isNewer(one.id, other.id) ? -1 : 1));
}

/** Parts a list at the newest row that somebody has seen: what is newer waits until they ask for it. */
export function partAt<Item extends Row>(items: Item[], newest: string | null): { shown: Item[]; waiting: Item[] } {
  const isWaiting = ({ id }: Item) => newest !== null && isNewer(id, newest);
  return { shown: items.filter((item) => !isWaiting(item)), waiting: items.filter(isWaiting) };
}

/** What came live with one more, which takes the place of what it was before. */
export function withRow<Item extends Row>(items: readonly Item[], item: Item): Item[] {
  return [item, ...items.filter(({ id }) => id !== item.id)];
}

function isNewer(one: string, other: string): boolean {
  return BigInt(one) > BigInt(other);
}
