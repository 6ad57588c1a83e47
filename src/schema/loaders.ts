import { yieldToEventLoop } from '../infra/concurrency/event-loop.js';

/** Batches the loads of one tick, and caches results by default. */
export interface Loader<Key, Value> {
  load(key: Key): Promise<Value>;
}

/** SQLite takes 999 parameters per statement, and a key may need two. */
export const KEYS_AT_ONCE = 400;

/**
 * @param loadMany loads up to {@link KEYS_AT_ONCE} keys; keys that it leaves out get `missing`
 * @param options `remember: false` for values that can change during an operation, such as permissions
 */
export function createLoader<Key, Value>(
  loadMany: (keys: Key[]) => Promise<Map<Key, Value>>,
  missing: Value,
  { remember = true } = {},
): Loader<Key, Value> {
  const known = new Map<Key, Promise<Value>>();
  let batch: { keys: Key[]; answers: Promise<Map<Key, Value>> } | null = null;
  let last: Promise<unknown> | null = null;
  const open = () => {
    const keys: Key[] = [];
    const before = last;
    const answers = afterResolvers().then(async () => {
      if (batch?.keys === keys) batch = null;
      if (before) await before.then(yieldToEventLoop, yieldToEventLoop);
      return loadMany(keys);
    });
    const end = () => {
      if (last === answers) last = null;
    };
    answers.then(end, end);
    last = answers;
    return { keys, answers };
  };
  return {
    load(key) {
      const answer = known.get(key);
      if (answer) return answer;
      if (batch === null || batch.keys.length === KEYS_AT_ONCE) batch = open();
      batch.keys.push(key);
      const loading = batch.answers.then((answers) => answers.get(key) ?? missing);
      if (remember) known.set(key, loading);
      return loading;
    },
  };
}

function afterResolvers(): Promise<void> {
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
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
