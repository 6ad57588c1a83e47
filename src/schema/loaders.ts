import { nextTurn } from '../infra/turns.js';

/** Answers many questions of one turn of the event loop at once, and remembers the answers unless told not to. */
export interface Loader<Key, Value> {
  load(key: Key): Promise<Value>;
}

/** How many keys one statement may name: SQLite takes 999 parameters, and a key may have two. */
export const KEYS_AT_ONCE = 400;

/**
 * @param loadMany answers up to {@link KEYS_AT_ONCE} keys; a key it leaves out gets `missing`. More are answered piece by piece,
 *   with a turn for others between
 * @param options `remember: false` for answers that may change within one operation, such as what somebody may see
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
      if (before) await before.then(nextTurn, nextTurn);
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

/** After every resolver that can run now has run. */
function afterResolvers(): Promise<void> {
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
}

/** One operation's loaders, made when first asked for. */
export class Loaders {
  readonly #made = new Map<string, object>();

  /** What `make` made when that name was first asked for: a loader, or what is worked out once. It must be the same for one name. */
  get<Made extends object>(name: string, make: () => Made): Made {
    const known = this.#made.get(name) as Made | undefined;
    if (known) return known;
    const made = make();
    this.#made.set(name, made);
    return made;
  }
}
