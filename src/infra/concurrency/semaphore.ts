/** May be called more than once. */
export type Release = () => void;

/** First in, first out. */
export class Semaphore {
  #taken = 0;
  readonly #waiting: ((release: Release) => void)[] = [];

  constructor(
    private readonly size: number,
    private readonly maxWaiting = Number.POSITIVE_INFINITY,
  ) {}

  /** Returns null if the queue is full. */
  take(): Promise<Release> | null {
    if (this.#taken < this.size) {
      this.#taken += 1;
      return Promise.resolve(this.#releaseOnce());
    }
    if (this.#waiting.length >= this.maxWaiting) return null;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

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

export class KeyedSemaphore<Key> {
  readonly #semaphores = new Map<Key, Semaphore>();

  constructor(private readonly size: number) {}

  async take(key: Key): Promise<Release> {
    const semaphore = this.#semaphores.get(key) ?? new Semaphore(this.size);
    this.#semaphores.set(key, semaphore);
    const release = await semaphore.take();
    return () => {
      release?.();
      if (semaphore.isIdle && this.#semaphores.get(key) === semaphore) this.#semaphores.delete(key);
    };
  }
}

/**
 * A user holds at most as many slots as are still free, so that no user can block another user's first request. Queued
 * users take turns; the requests of one user are served in order.
 */
export class FairSemaphore<User> {
  readonly #taken = new Map<User, number>();
  readonly #waiting = new Map<User, ((release: Release) => void)[]>();
  #free: number;
  #waitingInAll = 0;

  /** @param size a single user gets half of it, rounded up */
  constructor(
    private readonly size: number,
    private readonly maxWaiting: number,
    private readonly maxWaitingInAll = Number.POSITIVE_INFINITY,
  ) {
    this.#free = size;
  }

  /** Returns null if too many requests are queued. */
  take(user: User): Promise<Release> | null {
    const waiting = this.#waiting.get(user) ?? [];
    if (waiting.length === 0 && this.#mayTake(user)) return Promise.resolve(this.#give(user));
    if (waiting.length >= this.maxWaiting || this.#waitingInAll >= this.maxWaitingInAll) return null;
    this.#waiting.set(user, waiting);
    this.#waitingInAll += 1;
    return new Promise((resolve) => waiting.push(resolve));
  }

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

  #serve(): void {
    for (const [user, waiting] of this.#waiting) {
      if (this.#free === 0) return;
      if (!this.#mayTake(user)) continue;
      const next = waiting.shift();
      this.#waitingInAll -= 1;
      this.#waiting.delete(user);
      // Moves the user to the end of this loop.
      if (waiting.length > 0) this.#waiting.set(user, waiting);
      next?.(this.#give(user));
    }
  }
}
