import { randomUUID } from 'node:crypto';
import { type Clock, type Timer, withTimersOf } from '../clock.js';
import { yieldToEventLoop } from '../concurrency/event-loop.js';
import { within } from '../concurrency/timeouts.js';
import { isUnavailable } from '../database/faults.js';
import type { Database } from '../database/index.js';
import type { Logger } from '../observability/logger.js';
import { type JobKind, type JobKinds, maxMsOf, retryDelayMs, triesOf } from './kinds.js';
import { keepLease } from './lease.js';
import type { Ending } from './metrics.js';
import { type HeldJob, isRecurring, markDead, nameOf, nextJobs, releaseJob, removeJob, takeJob } from './rows.js';

/** Interval of the query for jobs that other processes added or abandoned. Jobs of this process wake the runner. */
const LOOK_EVERY_MS = 30_000;

const RETRY_MS = 5_000;

const JOBS_PER_LOOK = 20;

/** A timer takes no more than 24 days. Looking early does no harm. */
const LONGEST_WAIT_MS = 24 * 86_400_000;

export interface RunnerParts {
  db: Database;
  /** Jobs fall due by this clock. */
  clock: Clock;
  /** Real time, for leases, time limits and looks for jobs of other processes. */
  connectionClock: Clock;
  log: Logger;
  count(kind: string, ending: Ending): void;
  /** Adds missing recurring jobs. Called until it succeeds; existing jobs run in the meantime. */
  prepare(): Promise<void>;
}

type Outcome = { is: 'done' } | { is: 'stopped' } | { is: 'failed'; error: unknown } | Unreadable;

/** Issues leave out values, which may be secret. */
interface Unreadable {
  is: 'unreadable';
  issues: { path: PropertyKey[]; code: string }[];
}

interface Attempt {
  held: HeldJob;
  stop: AbortController;
  settled: Promise<void>;
}

export class JobRunner {
  readonly #attempts = new Set<Attempt>();
  #timer: Timer | null = null;
  #nextLook: Timer | null = null;
  #idle: Promise<void> | null = null;
  #wakesAt = Number.POSITIVE_INFINITY;
  #looking: Promise<void> | null = null;
  #looksAgain = false;
  #isPrepared = false;
  readonly #preparing: Trouble;
  readonly #looks: Trouble;
  #isStopped = false;

  constructor(
    private readonly kinds: JobKinds,
    private readonly parts: RunnerParts,
  ) {
    this.#preparing = new Trouble(parts.log, 'Could not add recurring jobs');
    this.#looks = new Trouble(parts.log, 'Could not look for due jobs');
  }

  start(): void {
    this.look();
    // A clock that is moved waits for the first jobs, too.
    this.parts.clock.after(0, () => this.#untilIdle());
  }

  wakeAt(ms: number): void {
    if (this.#isStopped || ms >= this.#wakesAt) return;
    this.#timer?.cancel();
    this.#wakesAt = ms;
    const wait = Math.min(Math.max(0, ms - this.parts.clock.now()), LONGEST_WAIT_MS);
    this.#timer = this.parts.clock.after(wait, () => {
      this.#wakesAt = Number.POSITIVE_INFINITY;
      this.look();
      return this.#untilIdle();
    });
  }

  #untilIdle(): Promise<void> {
    this.#idle ??= this.#settled().finally(() => {
      this.#idle = null;
    });
    return this.#idle;
  }

  /** Settles when no job runs and none is due. */
  async #settled(): Promise<void> {
    while (this.#looking || this.#attempts.size > 0) {
      await Promise.all([this.#looking, ...[...this.#attempts].map(({ settled }) => settled)]);
    }
  }

  look(): void {
    if (this.#isStopped) return;
    this.#looksAgain = this.#looking !== null;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
      if (this.#looksAgain) this.look();
    });
  }

  /** Aborts running jobs. Settles when their outcomes are stored or they are released. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#nextLook?.cancel();
    for (const { stop } of this.#attempts) stop.abort(new Error('the process is stopping'));
    await this.#looking;
    await Promise.all([...this.#attempts].map(({ settled }) => settled));
  }

  async #look(): Promise<void> {
    const { clock, connectionClock, prepare } = this.parts;
    this.#isPrepared ||= await this.#preparing.passes(prepare);
    const hasLooked = await this.#looks.passes(() => this.#takeDue());
    if (this.#isStopped) return;
    this.#nextLook?.cancel();
    const wait = this.#isPrepared && hasLooked ? LOOK_EVERY_MS : RETRY_MS;
    this.#nextLook = connectionClock.after(wait, () => this.wakeAt(clock.now()));
  }

  async #takeDue(): Promise<void> {
    const { db, clock } = this.parts;
    const kinds = Object.keys(this.kinds).filter((name) => this.#hasCapacity(name));
    if (kinds.length === 0) return;
    const jobs = await nextJobs(db.reader, kinds, JOBS_PER_LOOK);
    for (const { id, kind, dueAt } of jobs) {
      const dueMs = dueAt?.getTime() ?? 0;
      if (dueMs > clock.now()) return this.wakeAt(dueMs);
      if (this.#hasCapacity(kind)) await this.#take(id);
      if (this.#isStopped) return;
    }
    this.#looksAgain ||= jobs.length === JOBS_PER_LOOK;
  }

  #hasCapacity(name: string): boolean {
    const running = [...this.#attempts].filter(({ held }) => held.kind === name).length;
    return running < (this.kinds[name]?.atOnce ?? 0);
  }

  async #take(id: bigint): Promise<void> {
    const { db, clock } = this.parts;
    await yieldToEventLoop();
    const held = await takeJob(db.writer, id, randomUUID(), clock.now());
    const kind = held && this.kinds[held.kind];
    if (kind) this.#begin(kind, held);
  }

  #begin(kind: JobKind, held: HeldJob): void {
    const stop = new AbortController();
    const attempt: Attempt = { held, stop, settled: Promise.resolve() };
    this.#attempts.add(attempt);
    attempt.settled = this.#attempt(kind, attempt).finally(() => {
      this.#attempts.delete(attempt);
      this.look();
    });
  }

  async #attempt(kind: JobKind, { held, stop }: Attempt): Promise<void> {
    const { db, clock, connectionClock, log, count } = this.parts;
    const leasing = { db, clock: withTimersOf(connectionClock, clock), log };
    const lease = keepLease(held, leasing, () => stop.abort(new Error('the lease of the job was lost')));
    const outcome = await this.#outcomeOf(kind, held, stop.signal);
    lease.cancel();
    // The handler may still run after its time limit.
    stop.abort(new Error('the attempt is over'));
    try {
      const ending = await this.#settle(kind, held, outcome);
      count(held.kind, ending);
    } catch (error) {
      count(held.kind, 'lost');
      if (isUnavailable(error)) return;
      log.error({ err: error, ...nameOf(held) }, 'Could not store the outcome of a job');
    }
  }

  async #outcomeOf(kind: JobKind, held: HeldJob, signal: AbortSignal): Promise<Outcome> {
    const { clock, connectionClock } = this.parts;
    const { id, attempts: attempt } = held;
    if (attempt > triesOf(kind)) return { is: 'failed', error: new Error('the process ended during each attempt') };
    const payload = readPayload(kind, held);
    if ('is' in payload) return payload;
    try {
      if (this.#isStopped) return { is: 'stopped' };
      await within(connectionClock, maxMsOf(kind), kind.run(payload.read, { id, attempt, clock, signal }));
      return { is: 'done' };
    } catch (error) {
      return this.#isStopped ? { is: 'stopped' } : { is: 'failed', error };
    }
  }

  /** Stores the result if this process still has the job. */
  async #settle(kind: JobKind, held: HeldJob, outcome: Outcome): Promise<Ending> {
    const ending = endingOf(kind, held, outcome);
    if (!(await this.#write(kind, held, ending))) {
      this.parts.log.warn(nameOf(held), 'Lost the lease of a job; another process may run it too');
      return 'lost';
    }
    this.#tell(held, outcome, ending);
    return ending;
  }

  /** @returns false if another process has the job */
  #write(kind: JobKind, held: HeldJob, ending: WrittenEnding): Promise<boolean> {
    const { db, clock } = this.parts;
    const now = clock.now();
    const nextMs = kind.everyMs !== undefined && isRecurring(held) ? nextRunAt(kind.everyMs, clock) : null;
    switch (ending) {
      case 'done':
        if (nextMs === null) return removeJob(db.writer, held);
        return releaseJob(db.writer, held, nextMs, 0);
      case 'stopped':
        return releaseJob(db.writer, held, now, held.attempts - 1);
      case 'failed':
        return releaseJob(db.writer, held, now + retryDelayMs(held.attempts), held.attempts);
      case 'dead':
        if (nextMs === null) return markDead(db.writer, held, now);
        return releaseJob(db.writer, held, nextMs, 0);
    }
  }

  /** Skips failures that an outage caused: `Outages` logs it. */
  #tell(held: HeldJob, outcome: Outcome, ending: Ending): void {
    const details = { ...nameOf(held), attempt: held.attempts };
    if (outcome.is === 'unreadable') {
      this.parts.log.error({ ...details, issues: outcome.issues }, 'Job failed for good: its payload cannot be read');
    } else if (outcome.is === 'failed' && ending === 'dead') {
      this.parts.log.error({ ...details, err: outcome.error }, 'Job failed for good after its last attempt');
    } else if (outcome.is === 'failed' && !isUnavailable(outcome.error)) {
      this.parts.log.warn({ ...details, err: outcome.error }, 'Job failed and will be retried');
    }
  }
}

/** Logs when repeated work starts to fail and when it works again. */
class Trouble {
  #isThere = false;

  constructor(
    private readonly log: Logger,
    private readonly text: string,
  ) {}

  async passes(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      if (this.#isThere) this.log.info(`${this.text}: resolved`);
      this.#isThere = false;
      return true;
    } catch (error) {
      if (!this.#isThere && !isUnavailable(error)) {
        this.log.error({ err: error }, this.text);
        this.#isThere = true;
      }
      return false;
    }
  }
}

/** While the clock is moved, skips all runs but the last. */
function nextRunAt(everyMs: number, clock: Clock): number {
  const next = clock.now() + everyMs;
  const skipped = Math.floor(((clock.movesTo ?? next) - next) / everyMs);
  return next + Math.max(0, skipped) * everyMs;
}

type WrittenEnding = Exclude<Ending, 'lost'>;

function endingOf(kind: JobKind, held: HeldJob, outcome: Outcome): WrittenEnding {
  switch (outcome.is) {
    case 'done':
    case 'stopped':
      return outcome.is;
    case 'unreadable':
      return 'dead';
    case 'failed':
      return held.attempts < triesOf(kind) ? 'failed' : 'dead';
  }
}

/** Conversions in a schema may throw. */
function readPayload(kind: JobKind, held: HeldJob): { read: unknown } | Unreadable {
  try {
    const { data, error } = kind.payload.safeParse(held.payload);
    if (!error) return { read: data };
    return { is: 'unreadable', issues: error.issues.map(({ path, code }) => ({ path, code })) };
  } catch {
    return { is: 'unreadable', issues: [] };
  }
}
