import type { Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import type { Database, Transaction } from '../database/index.js';
import { isDoneWithin } from '../deadlines.js';
import type { NextId } from '../ids.js';
import type { Logger } from '../logger.js';
import type { JobKinds, JobPayloads, NewJob } from './kinds.js';
import { showJobs } from './metrics.js';
import { insertJob, insertRecurring, readBacklog } from './rows.js';
import { JobRunner } from './runner.js';

export type { JobKinds, NewJob } from './kinds.js';
export { removeDeadJobs } from './rows.js';

/** What jobs take. */
export interface JobsParts {
  db: Database;
  clock: Clock;
  log: Logger;
  nextId: NextId;
  registry: Registry;
}

/** How long a stop waits for jobs under way, in milliseconds of real time. The lease of one that goes on runs out by itself. */
const STOP_WITHIN_MS = 1_000;

/**
 * What must happen later. A job is a row, which outlives the process; whichever process sees first that it is due takes it for a
 * minute, and goes on taking it while it works. See `JobKind` for what that asks of those who do jobs.
 */
export class Jobs<Payloads extends JobPayloads> {
  readonly #count: ReturnType<typeof showJobs>;
  #runner: JobRunner | null = null;

  constructor(private readonly parts: JobsParts) {
    const { db, clock, registry } = parts;
    this.#count = showJobs(registry, clock, () => readBacklog(db.reader, clock.now()));
  }

  /**
   * Adds a job, unless one with its key waits; one that is worked on is done once more.
   * @param db may be a transaction: the job is there when, and only when, that is committed. {@link wakeAt} is to be called then
   */
  async add(db: Transaction, { kind, payload, dueAt, key }: NewJob<Payloads>): Promise<void> {
    await insertJob(db, { id: this.parts.nextId(), kind, key: key ?? null, payload, dueAt: new Date(dueAt) });
  }

  /** Looks for due jobs at `ms` since the Unix epoch at the latest. Costs nothing but a timer until then. */
  wakeAt(ms: number): void {
    this.#runner?.wakeAt(ms);
  }

  /** Begins to do jobs of these kinds; those of others are left to processes that know them. */
  start(kinds: JobKinds<Payloads>): void {
    const { db, clock, log } = this.parts;
    const prepare = () => this.#addRecurring(kinds);
    this.#runner = new JobRunner(kinds, { db, clock, log, count: this.#count, prepare });
    this.#runner.look();
  }

  /** Takes no further job and ends those under way, which others may take then. Settles within a second, and never rejects. */
  async stop(): Promise<void> {
    if (this.#runner) await isDoneWithin(STOP_WITHIN_MS, this.#runner.stop());
  }

  async #addRecurring(kinds: JobKinds<Payloads>): Promise<void> {
    const { db, clock, nextId } = this.parts;
    for (const [kind, { everyMs }] of Object.entries(kinds)) {
      if (everyMs === undefined) continue;
      await insertRecurring(db.writer, { id: nextId(), kind, payload: {}, dueAt: new Date(clock.now()) });
    }
  }
}
