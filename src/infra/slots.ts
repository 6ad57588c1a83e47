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

/**
 * Slots that several users share. A user takes no more slots than are still free, so that the first request of a user who has none finds one
 * however many requests another user makes. Users whose requests wait take turns; the requests of one user are first come, first served.
 */
export class SharedSlots<User> {
  readonly #taken = new Map<User, number>();
  /** In the order of the users' turns. */
  readonly #waiting = new Map<User, ((release: Release) => void)[]>();
  #free: number;
  #waitingInAll = 0;

  /**
   * @param size how many may work at once; one user alone has half of them, rounded up
   * @param maxWaiting how many requests of one user may wait
   * @param maxWaitingInAll how many requests of all users together may wait
   */
  constructor(
    private readonly size: number,
    private readonly maxWaiting: number,
    private readonly maxWaitingInAll = Number.POSITIVE_INFINITY,
  ) {
    this.#free = size;
  }

  /** Resolves when a slot is free for the user, with what frees it again; null when too many requests wait already. */
  take(user: User): Promise<Release> | null {
    const waiting = this.#waiting.get(user) ?? [];
    if (waiting.length === 0 && this.#mayTake(user)) return Promise.resolve(this.#give(user));
    if (waiting.length >= this.maxWaiting || this.#waitingInAll >= this.maxWaitingInAll) return null;
    this.#waiting.set(user, waiting);
    this.#waitingInAll += 1;
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** Whether nobody works and nobody waits. */
  get isIdle(): boolean {
    return this.#free === this.size;
  }

  #mayTake(user: User): boolean {
    return (this.#taken.get(user) ?? 0) < this.#free;
  }

  #give(user: User): Release {
    this.#free -= 1;
    this.#taken.set(user, (this.#taken.get(user) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#takeBack(user);
      this.#serve();
    };
  }

  #takeBack(user: User): void {
    this.#free += 1;
    const left = (this.#taken.get(user) ?? 0) - 1;
    if (left > 0) this.#taken.set(user, left);
    else this.#taken.delete(user);
  }

  /** Gives what is free to those who wait, one slot to each user whose turn it is. */
  #serve(): void {
    for (const [user, waiting] of this.#waiting) {
      if (this.#free === 0) return;
      if (!this.#mayTake(user)) continue;
      const next = waiting.shift();
      this.#waitingInAll -= 1;
      this.#waiting.delete(user);
      // Behind all others, where this loop comes to it again.
      if (waiting.length > 0) this.#waiting.set(user, waiting);
      next?.(this.#give(user));
    }
  }
}
