import type { Clock, Timer } from '../../../infra/clock.js';
import { type BoxAnswer, BoxError, type BoxFault, type CallOptions } from './transport.js';

/** Retention of a write with an unknown outcome (docs/relay.md, R-25). */
export const UNSURE_MS = 30_000;

/** Extra time beyond the budget, which the process that does the work applies itself. */
export const GRACE_MS = 500;

/** Beyond this, the oldest write that is not in flight is dropped. */
const MAX_WORKS = 20_000;

const UNSURE: readonly BoxFault[] = ['timeout', 'undecodable', 'overfull'];

/** @throws BoxError */
export type Send = (callOptions: CallOptions) => Promise<BoxAnswer>;

export type Write = CallOptions & { fingerprint: string };

/** Kept until its outcome is known or its retention ends. */
interface Work {
  readonly key: string;
  readonly isKeyShared: boolean;
  running: Promise<BoxAnswer> | null;
  /** Timer of the retention; null until the outcome becomes unknown. */
  end: Timer | null;
  /** Whether the retention ended during another send. */
  isOver: boolean;
}

/**
 * Prevents a repeated write from being done twice. Common libraries retry every 5xx and would post a slow message
 * several times.
 * A repetition joins a write in flight. After an unknown outcome, the write is sent again under the same key. After a
 * response, an equal write is new work.
 */
export class InFlightWrites {
  readonly #works = new Map<string, Work>();

  constructor(
    private readonly clock: Clock,
    private readonly maxWorks = MAX_WORKS,
  ) {}

  get size(): number {
    return this.#works.size;
  }

  /**
   * @param write its key is used unless an equal write is kept under another
   * @throws errors of `send`; BoxError `timeout`. An unknown outcome remains the error, even if another send fails
   * differently.
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

  /** If the shared key has changed, another process has answered the kept write. */
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

  /** A write in flight is kept until it has an outcome. */
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

/** @throws BoxError `timeout` after the budget and GRACE_MS, errors of `running` */
export function waitFor(clock: Clock, running: Promise<BoxAnswer>, budgetMs: number): Promise<BoxAnswer> {
  return new Promise((resolve, reject) => {
    const late = new BoxError('timeout', 'the box did not respond within the time budget');
    const timer = clock.after(budgetMs + GRACE_MS, () => reject(late));
    running.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Only a write that was not sent is known to be undone. */
export function isUnsure(error: unknown): boolean {
  return !(error instanceof BoxError) || UNSURE.includes(error.fault);
}
