const GATHER_MS = 25;

/** Databases accept about 1,000 parameters. */
const MAX_KEYS = 500;

interface Batch<K, V> {
  keys: Set<K>;
  found: Promise<Map<K, V>>;
}

/**
 * Batches lookups. One batch runs at a time, and keys requested during it go into the next batch. After a batch with
 * unknown keys, the next one waits for {@link GATHER_MS}. Made-up keys therefore cost at most a few dozen lookups a
 * second, and delay existing keys by no more than that wait.
 * @param find returns the existing ones of the keys
 * @param gather settles when the next batch may start after unknown keys
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
