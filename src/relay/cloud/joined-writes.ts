import type { Clock, Timer } from '../../infra/clock.js';
import { type BoxAnswer, BoxError, type BoxFault, type Errand } from './lines.js';

/** How long a write is remembered of which nobody knows whether it was done, in milliseconds (decisions 38). */
export const UNSURE_MS = 30_000;

/** How much later than its budget a piece of work is given up here, in milliseconds: whoever does it keeps to the budget itself. */
export const GRACE_MS = 500;

/** Works that are remembered at once. Beyond it, the oldest that nobody works on is forgotten. */
const MAX_WORKS = 20_000;

const UNSURE: readonly BoxFault[] = ['timeout', 'undecodable', 'overfull'];

/** Sends a piece of work once. @throws BoxError */
export type Send = (errand: Errand) => Promise<BoxAnswer>;

/** A write that may be repeated. */
export type Write = Errand & { fingerprint: string };

/** One piece of work, from when it is first sent until its outcome is known or its time is over. */
interface Work {
  readonly key: string;
  readonly isKeyShared: boolean;
  /** What is on its way; null while nothing is. */
  running: Promise<BoxAnswer> | null;
  /** Runs since it was first unsure whether it was done; null before. */
  end: Timer | null;
  /** Whether that timer has run out, while it was on its way again. */
  isOver: boolean;
}

/**
 * Keeps a write that is repeated from being done twice (decisions 17 and 38). Who repeats one that is on its way waits for its outcome; who
 * repeats one of which nobody knows whether it was done sends it again under the same key, by which the box does it once. What was answered is
 * forgotten at once: the same again is a second piece of work.
 */
export class JoinedWrites {
  readonly #works = new Map<string, Work>();

  constructor(
    private readonly clock: Clock,
    private readonly maxWorks = MAX_WORKS,
  ) {}

  /** How many works are remembered. */
  get size(): number {
    return this.#works.size;
  }

  /**
   * Has a write done.
   * @param write with the key that it is sent under, unless it is remembered with one
   * @throws what `send` throws; BoxError `timeout` when there is no outcome within the budget and a little more. What was sent once and is unsure
   *   stays so, whatever keeps it from being sent again.
   */
  async perform(write: Write, send: Send): Promise<BoxAnswer> {
    const { fingerprint, budgetMs } = write;
    const endsAt = this.clock.now() + budgetMs;
    let unsure: unknown = null;
    for (let left = budgetMs; ; left = endsAt - this.clock.now()) {
      const work = this.#remembered(write) ?? this.#begin(write);
      const isJoining = work.running !== null;
      try {
        return await waitFor(this.clock, work.running ?? this.#run(fingerprint, work, { send, budgetMs: left }), left);
      } catch (error) {
        if (!isUnsure(error)) throw unsure ?? error;
        unsure ??= error;
        const mayAgain = isJoining && this.#works.get(fingerprint) === work;
        if (!mayAgain || this.clock.now() >= endsAt) throw error;
      }
    }
  }

  /** Sends a work, under the key that it has. */
  #run(fingerprint: string, work: Work, { send, budgetMs }: { send: Send; budgetMs: number }): Promise<BoxAnswer> {
    work.running = send({ budgetMs, key: work.key }).then(
      (answer) => {
        this.#forget(fingerprint, work);
        return answer;
      },
      (error: unknown) => {
        work.running = null;
        if (isUnsure(error)) work.end ??= this.clock.after(UNSURE_MS, () => this.#expire(fingerprint, work));
        if (work.end === null || work.isOver) this.#forget(fingerprint, work);
        throw error;
      },
    );
    return work.running;
  }

  /** Where all processes know another key by now, the one before was answered by way of another process. */
  #remembered({ fingerprint, key, isKeyShared }: Write): Work | undefined {
    const work = this.#works.get(fingerprint);
    const isOver = work?.running === null && work.isKeyShared && isKeyShared && work.key !== key;
    return isOver ? undefined : work;
  }

  #begin({ fingerprint, key, isKeyShared = false }: Write): Work {
    if (this.#works.size >= this.maxWorks) this.#forgetOldest();
    const work: Work = { key, isKeyShared, running: null, end: null, isOver: false };
    this.#works.set(fingerprint, work);
    return work;
  }

  /** One that is on its way again is joined until that has an outcome, and remembered no longer than that. */
  #expire(fingerprint: string, work: Work): void {
    work.isOver = true;
    if (work.running === null) this.#forget(fingerprint, work);
  }

  #forget(fingerprint: string, work: Work): void {
    work.end?.cancel();
    if (this.#works.get(fingerprint) === work) this.#works.delete(fingerprint);
  }

  #forgetOldest(): void {
    for (const [fingerprint, work] of this.#works) {
      if (work.running !== null) continue;
      this.#forget(fingerprint, work);
      return;
    }
  }
}

/** Waits for an answer no longer than the budget and a little more, whatever becomes of it. @throws BoxError `timeout`, and what `running` throws */
export function waitFor(clock: Clock, running: Promise<BoxAnswer>, budgetMs: number): Promise<BoxAnswer> {
  return new Promise((resolve, reject) => {
    const late = new BoxError('timeout', 'no answer within the budget');
    const timer = clock.after(budgetMs + GRACE_MS, () => reject(late));
    running.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Whether nobody knows what became of the work: only of what was not sent is it known that it was not done. */
export function isUnsure(error: unknown): boolean {
  return !(error instanceof BoxError) || UNSURE.includes(error.fault);
}
