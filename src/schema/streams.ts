import { DomainError } from '../domain/errors.js';
import type { Clock, Timer } from '../infra/clock.js';
import { forEachYielding, yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import { Quota } from '../infra/concurrency/quota.js';
import { KeyedSemaphore, type Release, Semaphore } from '../infra/concurrency/semaphore.js';
import type { Logger } from '../infra/observability/logger.js';

/** Per user. Sockets of anonymous callers count per address. */
const STREAMS_PER_PERSON = 100;
const SOCKETS_PER_OWNER = 20;

/** Values computed concurrently. Each user has at most one. */
const VALUES_AT_ONCE = 4;

/** Interval of access checks, in milliseconds. */
const CHECK_EVERY_MS = 30_000;

/** Streams checked before yielding to the event loop. */
const STREAMS_PER_TURN = 100;

/** A subscription, over any transport. */
export interface Stream {
  end(error?: unknown): void;
  /** Ends the stream if its session ended or the caller lost access. */
  check(): void;
}

/** Every open subscription of the process. */
export class Streams {
  readonly #open = new Map<Stream, { userId: string; release: Release }>();
  readonly #streams = new Quota(STREAMS_PER_PERSON);
  readonly #sockets = new Quota(SOCKETS_PER_OWNER);
  readonly #inAll = new Semaphore(VALUES_AT_ONCE);
  readonly #ofPerson = new KeyedSemaphore<string>(1);
  #nextCheck: Timer | null = null;

  /** State shared by one user's streams of the same key. */
  readonly shared = new Map<string, object>();

  constructor(
    private readonly clock: Clock,
    private readonly log?: Logger,
  ) {}

  get size(): number {
    return this.#open.size;
  }

  /**
   * @param gone ends the stream, because the executor does not end a stream that was never read
   * @throws LIMIT_EXCEEDED if the user has too many streams, and the reason of `gone`
   */
  add(stream: Stream, userId: string, gone?: AbortSignal): void {
    gone?.throwIfAborted();
    const release = this.#streams.take(userId);
    if (!release) {
      throw new DomainError('LIMIT_EXCEEDED', `You can have at most ${STREAMS_PER_PERSON} open subscriptions.`);
    }
    this.#open.set(stream, { userId, release });
    gone?.addEventListener('abort', () => stream.end(), { once: true });
    this.log?.debug({ who: userId }, 'Subscription started');
    this.#nextCheck ??= this.#checkLater();
  }

  /** Safe to call more than once. */
  delete(stream: Stream): void {
    const open = this.#open.get(stream);
    if (!open) return;
    this.#open.delete(stream);
    open.release();
    this.log?.debug({ who: open.userId }, 'Subscription ended');
    if (this.#open.size > 0) return;
    this.#nextCheck?.cancel();
    this.#nextCheck = null;
  }

  endAll(): void {
    for (const stream of this.#open.keys()) stream.end();
  }

  /** @returns null if there are too many */
  openSocket(owner: string): Release | null {
    return this.#sockets.take(owner);
  }

  /**
   * Waits for a permit to compute a value, one at a time per user. Yields before each value, because many streams may
   * watch the same change.
   */
  async turn(userId: string): Promise<Release> {
    const own = await this.#ofPerson.take(userId);
    const common = await this.#inAll.take();
    await yieldToEventLoop();
    return () => {
      common?.();
      own();
    };
  }

  #checkLater(): Timer {
    return this.clock.after(CHECK_EVERY_MS, () => {
      this.#nextCheck = this.#checkLater();
      void forEachYielding([...this.#open.keys()], STREAMS_PER_TURN, (stream) => stream.check());
    });
  }
}
