/** How long keys are gathered after a look-up that met one of nothing, in milliseconds. */
const GATHER_MS = 25;

/** The most keys one look-up takes; a database takes about a thousand. */
const MAX_KEYS = 500;

interface Batch<K, V> {
  keys: Set<K>;
  found: Promise<Map<K, V>>;
}

/**
 * Joins look-ups: one is under way at a time, and the keys that are asked for meanwhile go together in the next. Where keys are
 * made up, the next waits a moment: however many callers ask for things that do not exist, the store is asked a few dozen times
 * a second, and who asks for what exists waits no longer than that moment.
 * @param find answers what exists of the keys
 * @param gather settles when keys were gathered long enough after such a look-up
 */
export function joinLookups<K, V>(
  find: (keys: K[]) => Promise<Map<K, V>>,
  gather: () => Promise<void> = aMoment,
): (key: K) => Promise<V | null> {
  let last: Promise<unknown> = Promise.resolve();
  let gathering: Batch<K, V> | null = null;
  const begin = () => {
    const keys = new Set<K>();
    const found = last.then(() => {
      if (gathering?.keys === keys) gathering = null;
      return find([...keys]);
    });
    last = found.then(
      ({ size }) => (size < keys.size ? gather() : undefined),
      () => {},
    );
    return { keys, found };
  };
  return async (key) => {
    if (gathering === null || gathering.keys.size >= MAX_KEYS) gathering = begin();
    const batch = gathering;
    batch.keys.add(key);
    return (await batch.found).get(key) ?? null;
  };
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, GATHER_MS).unref());
}
