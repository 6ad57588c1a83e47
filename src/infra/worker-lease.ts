import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from './clock.js';
import { type Database, Prisma } from './database/index.js';
import { within } from './deadlines.js';
import { type IdRange, type NextId, SnowflakeSource } from './ids.js';
import type { Logger } from './logger.js';

/** Worker numbers for processes that share a database; 0 is for a process alone, and 256 and up for boxes. */
const FIRST_WORKER = 1;
const LAST_WORKER = 255;

/** How long a lease lasts, and how far ahead of the clock it reserves milliseconds for ids. */
const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 15_000;
/** After a renewal that failed, or while no number is held. */
const RETRY_MS = 2_000;
/** How long the database is waited for. What it does after that costs nothing but milliseconds that no id is made of. */
const ANSWER_WITHIN_MS = 5_000;
/** How long ids are made after an answer: the lease began at most {@link ANSWER_WITHIN_MS} before that. */
const MAKE_IDS_MS = LEASE_MS - ANSWER_WITHIN_MS;
/** The same when the process stops, which closes everything within 1.5 s: a lease that was not given up ends by itself. */
const RELEASE_WITHIN_MS = 1_000;

export interface WorkerLease {
  /** Makes ids of the leased worker. @throws NoIdsError while there is none */
  nextId: NextId;
  /** Whether ids can be made. */
  isHeld(): boolean;
  /** Makes no more ids, and lets others have the worker at once. Settles within seconds, and never rejects. */
  release(): Promise<void>;
}

/**
 * Leases a snowflake worker in PostgreSQL, and keeps it. No two processes make one id, whatever their clocks say and however late
 * a renewal is answered: ids are made only of milliseconds that are written down beforehand, and the next owner of a number
 * begins after the last of them. A process that cannot renew makes no ids from the end of its lease until it has one again.
 * @throws when all workers are taken
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
  /** Counts the attempts to renew: one whose answer was not waited for any longer changes nothing more. */
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

  readonly nextId = (): bigint => this.#ids.next();
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
    // What an attempt takes meanwhile is given back by it.
    const settled = this.#underWay?.catch(() => {});
    await within(this.clock, RELEASE_WITHIN_MS, Promise.all([given, settled])).catch((error: unknown) =>
      this.log.warn({ err: error }, 'the snowflake worker was not given up; its lease ends by itself'),
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

  /** Waits for the answer as long as it counts. @throws where it is not there in time: the attempt is outdated then */
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
      this.#stopMaking(new Error('another process has the worker'));
    }
    return this.#take(isOutdated);
  }

  /** Takes a free worker, and gives it back where nobody waits for it any longer. */
  async #take(isOutdated: () => boolean): Promise<IdRange> {
    const range = await takeFreeWorker(this.db, this.#owner, this.#clockMs());
    if (isOutdated()) {
      // No id was made of it.
      if (range) await giveUpWorker(this.db, range.worker, this.#owner, range.afterMs);
      throw new OutdatedError();
    }
    if (!range) throw new Error(`all snowflake workers from ${FIRST_WORKER} to ${LAST_WORKER} are taken`);
    return range;
  }

  /** Makes ids of `range` until the lease ends, by a timer that waits for nobody. */
  #hold(range: IdRange): void {
    if (!this.isHeld()) this.log.info({ worker: range.worker }, 'a snowflake worker is leased');
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
      'the snowflake worker was not kept; what needs an id is refused until one is leased',
    );
  }

  /** The time that ids have come to: that of the clock, unless they are ahead of it. */
  #clockMs(): number {
    return Math.max(this.clock.now(), this.#ids.lastMs);
  }
}

/** Nobody waits for the answer any longer. */
class OutdatedError extends Error {
  override readonly message = 'the answer came too late';
}

/** The time of the database, as its columns of type DateTime hold it. */
const NOW = Prisma.sql`(clock_timestamp() AT TIME ZONE 'UTC')`;
const LEASE_END = Prisma.sql`${NOW} + ${LEASE_MS} * interval '1 millisecond'`;

async function addMissingWorkers({ writer }: Database): Promise<void> {
  await writer.$executeRaw`
    INSERT INTO "Worker" ("number", "until", "lastMs")
    SELECT "number", ${NOW}, 0 FROM generate_series(${FIRST_WORKER}::int, ${LAST_WORKER}::int) AS "number"
    ON CONFLICT DO NOTHING`;
}

/** Takes the number whose ids lie back furthest, of those that nobody has; null when there is none. */
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

/** Prolongs the lease, and reserves further milliseconds; null when somebody else took the number meanwhile. */
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
