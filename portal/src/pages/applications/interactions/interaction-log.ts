interface Row {
  id: string;
}

/** Fetched rows replace live ones. */
export function newestFirst<Item extends Row>(read: readonly Item[], live: readonly Item[]): Item[] {
  const known = new Map([...live, ...read].map((item) => [item.id, item]));
  return [...known.values()].sort((one, other) => (isNewer(one.id, other.id) ? -1 : 1));
}

/** Splits at the newest row the user has seen. */
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
