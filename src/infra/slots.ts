/** Frees a slot. Safe to call more than once. */
export type Release = () => void;

/** So many pieces of work at once; what comes meanwhile waits for its turn, first come first served. */
export class Slots {
  #taken = 0;
  readonly #waiting: ((release: Release) => void)[] = [];

  /**
   * @param size how many may work at once
   * @param maxWaiting how many may wait
   */
  constructor(
    private readonly size: number,
    private readonly maxWaiting = Number.POSITIVE_INFINITY,
  ) {}

  /** Resolves when a slot is free, with what frees it again; null when too many wait already. */
  take(): Promise<Release> | null {
    if (this.#taken < this.size) {
      this.#taken += 1;
      return Promise.resolve(this.#releaseOnce());
    }
    if (this.#waiting.length >= this.maxWaiting) return null;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Whether nobody works and nobody waits. */
  get isIdle(): boolean {
    return this.#taken === 0;
  }

  #releaseOnce(): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next) next(this.#releaseOnce());
      else this.#taken -= 1;
    };
  }
}

/** Slots for each of many: a line of its own for each for whom somebody works. */
export class SlotsOfEach<Key> {
  readonly #lines = new Map<Key, Slots>();

  /** @param size how many may work at once for one of them */
  constructor(private readonly size: number) {}

  /** Resolves when a slot is free there, with what frees it again. */
  async take(key: Key): Promise<Release> {
    const line = this.#lines.get(key) ?? new Slots(this.size);
    this.#lines.set(key, line);
    const release = await line.take();
    return () => {
      release?.();
      if (line.isIdle && this.#lines.get(key) === line) this.#lines.delete(key);
    };
  }
}
