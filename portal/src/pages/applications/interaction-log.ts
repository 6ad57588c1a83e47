interface Row {
  id: string;
}

/** Merges fetched and live rows, newest first. A fetched row replaces the live row with the same id. */
export function newestFirst<Item extends Row>(read: readonly Item[], live: readonly Item[]): Item[] {
  const known = new Map([...live, ...read].map((item) => [item.id, item]));
  return [...known.values()].sort((one, other) => (isNewer(one.id, other.id) ? -1 : 1));
}

/** Splits the list at the newest row the user has seen. Newer rows wait until the user asks for them. */
export function partAt<Item extends Row>(items: Item[], newest: string | null): { shown: Item[]; waiting: Item[] } {
  const isWaiting = ({ id }: Item) => newest !== null && isNewer(id, newest);
  return { shown: items.filter((item) => !isWaiting(item)), waiting: items.filter(isWaiting) };
}

/** Adds or replaces a live row. */
export function withRow<Item extends Row>(items: readonly Item[], item: Item): Item[] {
  return [item, ...items.filter(({ id }) => id !== item.id)];
}

function isNewer(one: string, other: string): boolean {
  return BigInt(one) > BigInt(other);
}
