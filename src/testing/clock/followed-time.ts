import type { ClockMove } from '../../sandbox/protocol.js';

const real = { now: Date.now, setTimeout, clearTimeout, setImmediate };

/** Node's limit. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Turns of the event loop in which promises of a timer may set the next one. */
const TURNS = 3;

/** Timers on the clock of a sandbox. */
export class FollowedTime {
  /** Null while the time runs. */
  #standsAt: number | null = null;
  #offsetMs = 0;
  readonly #timers = new Set<FollowedTimer>();

  now(): number {
    return this.#standsAt ?? real.now() + this.#offsetMs;
  }

  /** @param everyMs null for a timer that runs once */
  add(run: () => void, ms: number, everyMs: number | null): FollowedTimer {
    const timer = new FollowedTimer(this, run, ms, everyMs);
    timer.refresh();
    return timer;
  }

  /** Runs the timers that fall due until then, in order. */
  async moveTo({ now, isFrozen }: Pick<ClockMove, 'now' | 'isFrozen'>): Promise<void> {
    const end = new Date(now).getTime();
    this.#standsAt = this.now();
    for (const timer of this.#timers) timer.stop();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#standsAt = Math.max(this.#standsAt, next.due);
      try {
        next.fire();
      } catch (error) {
        // Node.js handles it as that of any timer.
        queueMicrotask(() => {
          throw error;
        });
      }
      for (let turn = 0; turn < TURNS; turn += 1) await new Promise<void>((resolve) => void real.setImmediate(resolve));
    }
    this.#offsetMs = end - real.now();
    this.#standsAt = isFrozen ? end : null;
    for (const timer of this.#timers) timer.start();
  }

  #next(end: number): FollowedTimer | undefined {
    const due = [...this.#timers].filter((timer) => timer.due <= end);
    return due.toSorted((one, other) => one.due - other.due)[0];
  }

  /** @internal */
  track(timer: FollowedTimer, isPending: boolean): void {
    if (isPending) this.#timers.add(timer);
    else this.#timers.delete(timer);
  }

  /** @internal Milliseconds of real time. While the time stands, a timer only keeps the process alive. */
  waitFor({ due }: FollowedTimer): number {
    const wait = this.#standsAt === null ? Math.max(due - this.now(), 0) : Number.POSITIVE_INFINITY;
    return Math.min(wait, LONGEST_TIMEOUT_MS);
  }
}

let ids = 0;

/** Has the methods of Node's `Timeout`. */
export class FollowedTimer {
  readonly id = ++ids;
  due = 0;
  #isRef = true;
  #handle: NodeJS.Timeout | undefined;

  constructor(
    private readonly time: FollowedTime,
    private readonly run: () => void,
    private readonly ms: number,
    private readonly everyMs: number | null,
  ) {}

  start(): void {
    this.stop();
    const wake = () => (this.due <= this.time.now() ? this.fire() : this.start());
    this.#handle = real.setTimeout(wake, this.time.waitFor(this));
    if (!this.#isRef) this.#handle.unref();
  }

  /** Keeps it pending. */
  stop(): void {
    real.clearTimeout(this.#handle);
    this.#handle = undefined;
  }

  fire(): void {
    if (this.everyMs === null) this.close();
    else {
      this.due += this.everyMs;
      this.start();
    }
    this.run();
  }

  close(): this {
    this.stop();
    this.time.track(this, false);
    return this;
  }

  refresh(): this {
    this.due = this.time.now() + this.ms;
    this.time.track(this, true);
    this.start();
    return this;
  }

  ref(): this {
    this.#isRef = true;
    this.#handle?.ref();
    return this;
  }

  unref(): this {
    this.#isRef = false;
    this.#handle?.unref();
    return this;
  }

  hasRef(): boolean {
    return this.#isRef;
  }

  [Symbol.toPrimitive](): number {
    return this.id;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
