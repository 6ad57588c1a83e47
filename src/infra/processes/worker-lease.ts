import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../clock.js';
import { within } from '../concurrency/timeouts.js';
import { type Database, Prisma } from '../database/index.js';
import { type IdRange, type NextId, SnowflakeSource } from '../ids/ids.js';
import type { Logger } from '../observability/logger.js';

/** Worker numbers for processes that share a database. A single process uses 0; boxes use 256 and up. */
const FIRST_WORKER = 1;
const LAST_WORKER = 255;

/** A lease also reserves id timestamps this far ahead of the clock. */
const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 15_000;
const RETRY_MS = 2_000;
/** Time limit of a database answer. A later answer only wastes reserved milliseconds. */
const ANSWER_WITHIN_MS = 5_000;
/** Ids stop this long after an answer, because the lease may have begun {@link ANSWER_WITHIN_MS} earlier. */
const MAKE_IDS_MS = LEASE_MS - ANSWER_WITHIN_MS;
/** Shutdown takes 1.5 s in total. A lease that is not released expires. */
const RELEASE_WITHIN_MS = 1_000;

export interface WorkerLease {
  /** @throws NoIdsError while no worker is leased */
  nextId: NextId;
  isHeld(): boolean;
  /** Settles within seconds and never rejects. */
  release(): Promise<void>;
}

/**
 * Ids are unique regardless of clocks and late renewals: timestamps are reserved in the database before they are used,
 * and the next holder of a worker starts after them.
 * A process that cannot renew makes no ids until it has a lease again.
 * @throws if all workers are taken
 */
export async function leaseWorker(db: Database, clock: Clock, log: Logger): Promise<WorkerLease> {
  const lease = new Lease(db, clock, log);
  await lease.begin();
  return lease;
}

class Lease implements WorkerLease {
  readonly #owner = randomUUID();
  readonly #ids: SnowflakeSource;
  #worker: number | null = null;
  #renewal: Timer | null = null;
  #end: Timer | null = null;
  #isReleased = false;
  /** Attempts before this number must not change the state. */
  #attempt = 0;
  #underWay: Promise<unknown> | null = null;
  #fault: unknown;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.#ids = new SnowflakeSource(clock);
  }

  readonly nextId: NextId = (after) => this.#ids.next(after);
  readonly isHeld = (): boolean => this.#ids.hasRange;

  async begin(): Promise<void> {
    await addMissingWorkers(this.db);
    this.#hold(await this.#attemptTo((isOutdated) => this.#take(isOutdated)));
    this.#renewAfter(RENEW_EVERY_MS);
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    this.#renewal?.cancel();
    this.#end?.cancel();
    this.#ids.use(null);
    const given = this.#worker === null ? null : giveUpWorker(this.db, this.#worker, this.#owner, this.#ids.lastMs);
    // A running attempt frees the worker that it takes.
    const settled = this.#underWay?.catch(() => {});
    await within(this.clock, RELEASE_WITHIN_MS, Promise.all([given, settled])).catch((error: unknown) =>
      this.log.warn({ err: error }, 'Could not release the snowflake worker; its lease will expire'),
    );
  }

  #renewAfter(ms: number): void {
    this.#renewal = this.clock.after(ms, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    try {
      const range = await this.#attemptTo((isOutdated) => this.#renewOrTake(isOutdated));
      if (this.#isReleased) return;
      this.#hold(range);
      this.#renewAfter(RENEW_EVERY_MS);
    } catch (error) {
      if (this.#isReleased) return;
      this.#fault = error;
      this.#renewAfter(RETRY_MS);
    }
  }

  /** @throws after the time limit; the attempt is then outdated */
  async #attemptTo(work: (isOutdated: () => boolean) => Promise<IdRange>): Promise<IdRange> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    const answer = work(() => this.#isReleased || this.#attempt !== attempt);
    this.#underWay = answer;
    try {
      return await within(this.clock, ANSWER_WITHIN_MS, answer);
    } catch (error) {
      this.#attempt += 1;
      throw error;
    }
  }

  async #renewOrTake(isOutdated: () => boolean): Promise<IdRange> {
    if (this.#worker !== null) {
      const renewed = await renewWorker(this.db, this.#worker, this.#owner, this.#clockMs());
      if (isOutdated()) throw new OutdatedError();
      if (renewed) return renewed;
      this.#worker = null;
      this.#stopMaking(new Error('another process has the snowflake worker'));
    }
    return this.#take(isOutdated);
  }

  async #take(isOutdated: () => boolean): Promise<IdRange> {
    const range = await takeFreeWorker(this.db, this.#owner, this.#clockMs());
    if (isOutdated()) {
      // No ids were made, so the reserved range is given back unused.
      if (range) await giveUpWorker(this.db, range.worker, this.#owner, range.afterMs);
      throw new OutdatedError();
    }
    if (!range) throw new Error(`all snowflake workers from ${FIRST_WORKER} to ${LAST_WORKER} are taken`);
    return range;
  }

  /** The timer stops the ids even while a renewal is pending. */
  #hold(range: IdRange): void {
    if (!this.isHeld()) this.log.info({ worker: range.worker }, 'Leased a snowflake worker');
    this.#worker = range.worker;
    this.#ids.use(range);
    this.#end?.cancel();
    this.#end = this.clock.after(MAKE_IDS_MS, () => this.#stopMaking(this.#fault));
  }

  #stopMaking(fault: unknown): void {
    if (!this.isHeld()) return;
    this.#ids.use(null);
    this.log.error(
      { err: fault },
      'Lost the snowflake worker; requests that need an id are refused until one is leased',
    );
  }

  #clockMs(): number {
    return Math.max(this.clock.now(), this.#ids.lastMs);
  }
}

class OutdatedError extends Error {
  override readonly message = 'the response came too late';
}

/** Database time, in the format of Prisma's DateTime columns. */
const NOW = Prisma.sql`(clock_timestamp() AT TIME ZONE 'UTC')`;
const LEASE_END = Prisma.sql`${NOW} + ${LEASE_MS} * interval '1 millisecond'`;

async function addMissingWorkers({ writer }: Database): Promise<void> {
  await writer.$executeRaw`
    INSERT INTO "Worker" ("number", "until", "lastMs")
    SELECT "number", ${NOW}, 0 FROM generate_series(${FIRST_WORKER}::int, ${LAST_WORKER}::int) AS "number"
    ON CONFLICT DO NOTHING`;
}

/** Takes the worker with the oldest timestamp; null if none is free. */
async function takeFreeWorker({ writer }: Database, owner: string, nowMs: number): Promise<IdRange | null> {
  const [taken] = await writer.$queryRaw<{ number: number; lastMs: bigint }[]>`
    UPDATE "Worker" SET
      "owner" = ${owner}, "until" = ${LEASE_END}, "lastMs" = GREATEST("lastMs", ${BigInt(nowMs)}) + ${BigInt(LEASE_MS)}
    WHERE "number" = (
      SELECT "number" FROM "Worker" WHERE "until" <= ${NOW} ORDER BY "lastMs", "number" LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING "number", "lastMs"`;
  if (!taken) return null;
  const throughMs = Number(taken.lastMs);
  return { worker: taken.number, afterMs: throughMs - LEASE_MS, throughMs };
}

/** Null if another process took the worker. */
async function renewWorker(
  { writer }: Database,
  worker: number,
  owner: string,
  nowMs: number,
): Promise<IdRange | null> {
  const [renewed] = await writer.$queryRaw<{ lastMs: bigint }[]>`
    UPDATE "Worker" SET "until" = ${LEASE_END}, "lastMs" = GREATEST("lastMs", ${BigInt(nowMs + LEASE_MS)})
    WHERE "number" = ${worker} AND "owner" = ${owner}
    RETURNING "lastMs"`;
  return renewed ? { worker, afterMs: 0, throughMs: Number(renewed.lastMs) } : null;
}

async function giveUpWorker({ writer }: Database, worker: number, owner: string, lastMs: number): Promise<void> {
  await writer.$executeRaw`
    UPDATE "Worker" SET "owner" = NULL, "until" = ${NOW}, "lastMs" = ${BigInt(lastMs)}
    WHERE "number" = ${worker} AND "owner" = ${owner}`;
}
