import { DomainError } from '../domain/errors.js';
import type { Clock, Timer } from '../infra/clock.js';
import { Counts } from '../infra/counts.js';
import type { Logger } from '../infra/logger.js';
import { type Release, Slots } from '../infra/slots.js';
import { inTurns, nextTurn } from '../infra/turns.js';

/** Subscriptions and sockets that one person may have open at once; sockets of those who are not signed in count for their address. */
const STREAMS_PER_PERSON = 100;
const SOCKETS_PER_OWNER = 20;

/** How many values are worked out at once in all; of one person's streams it is one. */
const VALUES_AT_ONCE = 4;

/** How often it is asked whether those who opened streams may still have them, in milliseconds. */
const CHECK_EVERY_MS = 30_000;

/** How many streams are asked about in one turn. */
const STREAMS_PER_TURN = 100;

/** A subscription that is open, over whichever transport. */
export interface Stream {
  end(error?: unknown): void;
  /** Ends the stream if the session it was opened with has ended, or if its owner may no longer have it. */
  check(): void;
}

/** Every open subscription of the process: how many each person has, in which order their values are worked out, and until when they last. */
export class Streams {
  readonly #owners = new Map<Stream, string>();
  readonly #streams = new Counts();
  readonly #sockets = new Counts();
  readonly #inAll = new Slots(VALUES_AT_ONCE);
  readonly #ofPerson = new Map<string, Slots>();
  #nextCheck: Timer | null = null;

  /** What streams of one person that watch the same share. */
  readonly shared = new Map<string, object>();

  constructor(
    private readonly clock: Clock,
    private readonly log?: Logger,
  ) {}

  get size(): number {
    return this.#owners.size;
  }

  /**
   * @param gone aborted when nobody reads the stream any more, which then ends: who executes operations ends no stream that was never
   * read
   * @throws LIMIT_EXCEEDED when the person has too many streams open already, and what `gone` was aborted with
   */
  add(stream: Stream, userId: string, gone?: AbortSignal): void {
    gone?.throwIfAborted();
    if (this.#streams.of(userId) >= STREAMS_PER_PERSON) {
      throw new DomainError('LIMIT_EXCEEDED', `You may have ${STREAMS_PER_PERSON} subscriptions open at once.`);
    }
    this.#streams.add(userId, 1);
    this.#owners.set(stream, userId);
    gone?.addEventListener('abort', () => stream.end(), { once: true });
    this.log?.debug({ who: userId }, 'a subscription began');
    this.#nextCheck ??= this.#checkLater();
  }

  /** Safe to call more than once. */
  delete(stream: Stream): void {
    const userId = this.#owners.get(stream);
    if (userId === undefined) return;
    this.#owners.delete(stream);
    this.#streams.add(userId, -1);
    this.log?.debug({ who: userId }, 'a subscription ended');
    if (this.#owners.size > 0) return;
    this.#nextCheck?.cancel();
    this.#nextCheck = null;
  }

  endAll(): void {
    for (const stream of this.#owners.keys()) stream.end();
  }

  /** Counts a socket of a person's, or of an address. @returns what ends it; null when there are too many */
  openSocket(owner: string): Release | null {
    if (this.#sockets.of(owner) >= SOCKETS_PER_OWNER) return null;
    return this.#sockets.take(owner);
  }

  /**
   * Waits until it is a person's turn to have a value worked out. Their streams come one after the other, and between any two
   * values everything else has a turn: a change that many watch must not keep others waiting.
   * @returns what ends the turn
   */
  async turn(userId: string): Promise<Release> {
    const slots = this.#ofPerson.get(userId) ?? new Slots(1);
    this.#ofPerson.set(userId, slots);
    const own = await slots.take();
    const common = await this.#inAll.take();
    await nextTurn();
    return () => {
      common?.();
      own?.();
      if (slots.isIdle) this.#ofPerson.delete(userId);
    };
  }

  #checkLater(): Timer {
    return this.clock.after(CHECK_EVERY_MS, () => {
      this.#nextCheck = this.#checkLater();
      void inTurns([...this.#owners.keys()], STREAMS_PER_TURN, (stream) => stream.check());
    });
  }
}
