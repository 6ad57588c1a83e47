import type { Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import { isDoneWithin } from '../concurrency/timeouts.js';
import type { Database, Transaction } from '../database/index.js';
import type { NextId } from '../ids/ids.js';
import type { Logger } from '../observability/logger.js';
import type { JobKinds, JobPayloads, NewJob } from './kinds.js';
import { showJobs } from './metrics.js';
import { insertJob, insertRecurring, readBacklog } from './rows.js';
import { JobRunner } from './runner.js';

export type { JobKinds, NewJob } from './kinds.js';
export { removeDeadJobs } from './rows.js';

export interface JobsParts {
  db: Database;
  clock: Clock;
  /** Real time, for leases and time limits. */
  connectionClock: Clock;
  log: Logger;
  nextId: NextId;
  registry: Registry;
}

/** Measured in real time. The lease of a job that does not stop expires. */
const STOP_WITHIN_MS = 1_000;

/**
 * Deferred work. A job is a row, so it outlives its process. The first process that finds it due leases it for a
 * minute, and renews the lease while it works.
 */
export class Jobs<Payloads extends JobPayloads> {
  readonly #count: ReturnType<typeof showJobs>;
  #runner: JobRunner | null = null;

  constructor(private readonly parts: JobsParts) {
    const { db, clock, connectionClock, registry } = parts;
    this.#count = showJobs(registry, connectionClock, () => readBacklog(db.reader, clock.now()));
  }

  /**
   * If a job with this key is queued, nothing is added. If one is running, it runs again.
   * @param db may be a transaction, whose commit adds the job. Call {@link wakeAt} after the commit.
   */
  async add(db: Transaction, { kind, payload, dueAt, key }: NewJob<Payloads>): Promise<void> {
    await insertJob(db, { id: this.parts.nextId(), kind, key: key ?? null, payload, dueAt: new Date(dueAt) });
  }

  /** Checks for due jobs by `ms`, in milliseconds since the Unix epoch. */
  wakeAt(ms: number): void {
    this.#runner?.wakeAt(ms);
  }

  /** Jobs of other kinds are left to processes that know them. */
  start(kinds: JobKinds<Payloads>): void {
    const { db, clock, connectionClock, log } = this.parts;
    const prepare = () => this.#addRecurring(kinds);
    this.#runner = new JobRunner(kinds, { db, clock, connectionClock, log, count: this.#count, prepare });
    this.#runner.start();
  }

  /** Aborts running jobs, so that other processes can take them. Settles within a second and never rejects. */
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
