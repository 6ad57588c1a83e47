import DataLoader from 'dataloader';
import { yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import { Mutex } from '../infra/concurrency/mutex.js';

/** Batches the loads of one tick, and caches results by default. */
export type Loader<Key, Value> = Pick<DataLoader<Key, Value>, 'load'>;

/** SQLite takes 999 parameters per statement, and a key may need two. */
export const KEYS_AT_ONCE = 400;

/**
 * Batches run one after another, and yield to the event loop in between.
 * @param loadMany loads up to {@link KEYS_AT_ONCE} keys; keys that it leaves out get `missing`
 * @param options `remember: false` for values that can change during an operation, such as permissions
 */
export function createLoader<Key, Value>(
  loadMany: (keys: Key[]) => Promise<Map<Key, Value>>,
  missing: Value,
  { remember = true } = {},
): Loader<Key, Value> {
  const mutex = new Mutex();
  let unfinished = 0;
  return new DataLoader<Key, Value>(
    async (keys) => {
      const isFirst = unfinished === 0;
      unfinished += 1;
      const load = async () => {
        if (!isFirst) await yieldToEventLoop();
        return loadMany([...keys]);
      };
      const found = await mutex.run(load).finally(() => {
        unfinished -= 1;
      });
      return keys.map((key) => found.get(key) ?? missing);
    },
    { cache: remember, maxBatchSize: KEYS_AT_ONCE },
  );
}

export class Loaders {
  readonly #made = new Map<string, object>();

  /** `make` must be the same for each name. */
  get<Made extends object>(name: string, make: () => Made): Made {
    const known = this.#made.get(name) as Made | undefined;
    if (known) return known;
    const made = make();
    this.#made.set(name, made);
    return made;
  }
}
