/** Answers many questions of one turn of the event loop at once, and remembers the answers unless told not to. */
export interface Loader<Key, Value> {
  load(key: Key): Promise<Value>;
}

/**
 * @param loadMany answers all keys; a key it leaves out gets `missing`
 * @param options `remember: false` for answers that may change within one operation, such as what somebody may see
 */
export function createLoader<Key, Value>(
  loadMany: (keys: Key[]) => Promise<Map<Key, Value>>,
  missing: Value,
  { remember = true } = {},
): Loader<Key, Value> {
  const known = new Map<Key, Promise<Value>>();
  let batch: { keys: Key[]; answers: Promise<Map<Key, Value>> } | null = null;
  const open = () => {
    const keys: Key[] = [];
    const answers = nextTurn().then(() => {
      batch = null;
      return loadMany(keys);
    });
    return { keys, answers };
  };
  return {
    load(key) {
      const answer = known.get(key);
      if (answer) return answer;
      batch ??= open();
      batch.keys.push(key);
      const loading = batch.answers.then((answers) => answers.get(key) ?? missing);
      if (remember) known.set(key, loading);
      return loading;
    },
  };
}

/** After every resolver that can run now has run. */
function nextTurn(): Promise<void> {
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
}

/** One operation's loaders, made when first asked for. */
export class Loaders {
  readonly #made = new Map<string, unknown>();

  /** The loader of that name; `make` must be the same for one name. */
  get<Key, Value>(name: string, make: () => Loader<Key, Value>): Loader<Key, Value> {
    const made = this.#made.get(name) as Loader<Key, Value> | undefined;
    if (made) return made;
    const loader = make();
    this.#made.set(name, loader);
    return loader;
  }
}
