import { setTimeout } from 'node:timers/promises';
import type { SandboxClock } from './clock.js';
import type { ClockMove } from './protocol.js';

/** A follower that takes longer is no longer waited for. In real time. */
const PATIENCE_MS = 5_000;

/** A follower without a request counts as gone after this time. */
const GONE_AFTER_MS = 2_000;

interface Follower {
  /** The number of the last move that it has followed. */
  followed: number;
  requests: number;
  lastAsked: number;
}

interface Wait {
  after: number;
  withinMs: number;
  gone: AbortSignal;
}

/** Programs whose timers follow the clock. Each asks for the next move, and by that confirms the one before. */
export class ClockFollowers {
  readonly #followers = new Map<string, Follower>();
  readonly #waiting = new Set<() => void>();
  #moves = 0;

  constructor(private readonly clock: SandboxClock) {
    clock.onMove(() => {
      this.#moves += 1;
      this.#wakeAll();
    });
  }

  /**
   * @param gone ends the follower
   * @returns the last move, at the latest after `withinMs` of real time, also if there was none after `after`
   */
  async next(id: string, { after, withinMs, gone }: Wait): Promise<ClockMove> {
    const follower = this.#followers.get(id) ?? { followed: 0, requests: 0, lastAsked: 0 };
    this.#followers.set(id, follower);
    follower.followed = Math.max(follower.followed, after);
    follower.requests += 1;
    follower.lastAsked = performance.now();
    this.#wakeAll();
    gone.addEventListener('abort', () => {
      this.#followers.delete(id);
      this.#wakeAll();
    });
    await this.#until(() => this.#moves > after || gone.aborted, withinMs);
    follower.requests -= 1;
    follower.lastAsked = performance.now();
    const { now, isFrozen } = this.clock.state();
    return { number: this.#moves, now: new Date(now).toISOString(), isFrozen };
  }

  /** Resolves when every follower has followed the last move. */
  async allFollowed(): Promise<void> {
    const last = this.#moves;
    const isBehind = ({ followed }: Follower) => followed < last;
    this.#forgetGone();
    await this.#until(() => ![...this.#followers.values()].some(isBehind), PATIENCE_MS);
    for (const [id, follower] of this.#followers) if (isBehind(follower)) this.#followers.delete(id);
  }

  #forgetGone(): void {
    const oldest = performance.now() - GONE_AFTER_MS;
    for (const [id, { requests, lastAsked }] of this.#followers) {
      if (requests === 0 && lastAsked < oldest) this.#followers.delete(id);
    }
  }

  async #until(holds: () => boolean, withinMs: number): Promise<void> {
    const end = new AbortController();
    const over = setTimeout(withinMs, true, { signal: end.signal, ref: false }).catch(() => true);
    for (let isOver = false; !isOver && !holds(); ) {
      let wake: () => void = () => {};
      const woken = new Promise<false>((resolve) => {
        wake = () => resolve(false);
      });
      this.#waiting.add(wake);
      isOver = await Promise.race([woken, over]);
      this.#waiting.delete(wake);
    }
    end.abort();
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Lets waiting requests end. */
  close(): void {
    this.#moves += 1;
    this.#wakeAll();
  }
}
