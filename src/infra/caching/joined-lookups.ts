import { setImmediate } from 'node:timers/promises';
import DataLoader from 'dataloader';

const GATHER_MS = 25;

/** Databases accept about 1,000 parameters. */
const MAX_KEYS = 500;

/**
 * Batches lookups, one batch at a time. After a batch with unknown keys, the next one waits for {@link GATHER_MS}.
 * Made-up keys therefore cost at most a few dozen lookups a second, and delay existing keys by no more than that wait.
 * @param gather settles when the next batch may start after unknown keys
 */
export function joinLookups<K, V>(
  find: (keys: K[]) => Promise<Map<K, V>>,
  gather: () => Promise<void> = aMoment,
): (key: K) => Promise<V | null> {
  let last: Promise<unknown> = Promise.resolve();
  let running: Promise<unknown> = last;
  // Its cache joins lookups of the same key until their batch begins.
  const loader = new DataLoader<K, V | null>(
    async (keys) => {
      for (const key of keys) loader.clear(key);
      const finding = find([...keys]);
      running = finding.then(
        ({ size }) => (size < keys.length ? gather() : undefined),
        () => {},
      );
      const found = await finding;
      return keys.map((key) => found.get(key) ?? null);
    },
    {
      maxBatchSize: MAX_KEYS,
      batchScheduleFn(dispatch) {
        last = last.then(async () => {
          // Requests that arrived on other sockets in this iteration of the event loop join.
          await setImmediate();
          dispatch();
          await running;
        });
      },
    },
  );
  return (key) => loader.load(key);
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, GATHER_MS).unref());
}
