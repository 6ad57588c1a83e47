import type { Clock } from '../../infra/clock.js';
import { DelayedTask } from '../../infra/concurrency/delayed-task.js';
import { chunksOf } from '../../infra/concurrency/event-loop.js';
import { mayBeDone } from '../../infra/database/faults.js';
import { Prisma, type Transaction } from '../../infra/database/index.js';
import type { Logger } from '../../infra/observability/logger.js';
import { RELAY_OUTCOMES, type RelayOutcome } from '../../infra/observability/metrics.js';
import type { CallContext } from '../call.js';
import { refusalIn } from '../errors.js';
import { ADDED_UP_TO_MS, HOURS_SHOWN, hourOf, NOT_KNOWN, stepOf } from './statistics.js';

/** Delay before counts are stored, in milliseconds. */
const GATHERED_MS = 5_000;

/** Maximum number of box hours in memory. Counts beyond it are lost. */
const MAX_WAITING = 10_000;

/** Each has five parameters; SQLite takes 999. */
const PER_STATEMENT = 190;

/** In the order of a box's counters. */
const COUNTED: readonly Counted[] = [
  ...RELAY_OUTCOMES.map((outcome) => ({ outcome, addedUpToMs: NOT_KNOWN })),
  ...ADDED_UP_TO_MS.map((addedUpToMs) => ({ outcome: 'answered' as const, addedUpToMs })),
];

interface Counted {
  outcome: RelayOutcome;
  addedUpToMs: number;
}

interface Row extends Counted {
  boxId: bigint;
  hour: number;
  /** Index in {@link COUNTED}. */
  place: number;
  count: number;
}

interface BoxMeasuresParts {
  clock: Clock;
  log: Logger;
  callOfNobody: () => CallContext;
}

/** Counts outcomes by box and hour, stored in the background. A failed write is retried unless it may be committed. */
export class BoxMeasures {
  #waiting = new Map<number, Map<bigint, Uint32Array>>();
  #size = 0;
  readonly #storing: DelayedTask;

  constructor(private readonly parts: BoxMeasuresParts) {
    this.#storing = new DelayedTask(parts.clock, () => this.#storeWaiting());
  }

  /** Runs for every request. @param addedMs milliseconds that the relay added; null if unknown */
  note(boxId: bigint, outcome: RelayOutcome, addedMs: number | null): void {
    this.#add(hourOf(this.parts.clock.now()), boxId, placeOf(outcome, addedMs), 1);
    this.#storing.for(GATHERED_MS);
  }

  store(): Promise<void> {
    return this.#storing.now();
  }

  /** Stops at the first failure, because the next statement would wait as long. */
  async #storeWaiting(): Promise<void> {
    const pieces = [...chunksOf(rowsOf(this.#waiting), PER_STATEMENT)];
    this.#waiting = new Map();
    this.#size = 0;
    for (const [index, piece] of pieces.entries()) {
      try {
        await this.parts.callOfNobody().writeOne((db) => addMeasures(db, piece));
      } catch (error) {
        this.#putBack(pieces.slice(mayBeDone(error) ? index + 1 : index).flat());
        if (!refusalIn(error))
          this.parts.log.error({ err: error }, 'Could not store the outcomes of requests to boxes');
        return;
      }
    }
  }

  #putBack(rows: Row[]): void {
    if (rows.length === 0) return;
    for (const { hour, boxId, place, count } of rows) this.#add(hour, boxId, place, count);
    this.#storing.for(GATHERED_MS);
  }

  #add(hour: number, boxId: bigint, place: number, count: number): void {
    const counts = this.#waiting.get(hour)?.get(boxId) ?? this.#begin(hour, boxId);
    if (counts) counts[place] = (counts[place] ?? 0) + count;
  }

  /** Null at {@link MAX_WAITING}. */
  #begin(hour: number, boxId: bigint): Uint32Array | null {
    if (this.#size === MAX_WAITING) return null;
    this.#size += 1;
    const ofHour = this.#waiting.get(hour) ?? new Map<bigint, Uint32Array>();
    this.#waiting.set(hour, ofHour);
    const counts = new Uint32Array(COUNTED.length);
    ofHour.set(boxId, counts);
    return counts;
  }
}

function placeOf(outcome: RelayOutcome, addedMs: number | null): number {
  return addedMs === null ? RELAY_OUTCOMES.indexOf(outcome) : RELAY_OUTCOMES.length + stepOf(addedMs);
}

function rowsOf(waiting: ReadonlyMap<number, ReadonlyMap<bigint, Uint32Array>>): Row[] {
  return [...waiting].flatMap(([hour, byBox]) =>
    [...byBox].flatMap(([boxId, counts]) =>
      COUNTED.map((counted, place) => ({ boxId, hour, ...counted, place, count: counts[place] ?? 0 })).filter(
        ({ count }) => count > 0,
      ),
    ),
  );
}

/** Drops counts of deleted boxes. All processes use the same row order, which avoids deadlocks. */
function addMeasures(db: Transaction, rows: Row[]): Promise<number> {
  const values = rows.map(
    ({ boxId, hour, outcome, addedUpToMs, count }) =>
      Prisma.sql`(CAST(${boxId} AS BIGINT), CAST(${hour} AS INTEGER), CAST(${outcome} AS TEXT), CAST(${addedUpToMs} AS INTEGER), CAST(${count} AS INTEGER))`,
  );
  return db.$executeRaw`WITH "added" ("boxId", "hour", "outcome", "addedUpToMs", "count") AS (VALUES ${Prisma.join(values)})
    INSERT INTO "BoxMeasure" ("boxId", "hour", "outcome", "addedUpToMs", "count")
    SELECT * FROM "added" WHERE EXISTS (SELECT 1 FROM "Box" WHERE "Box"."id" = "added"."boxId") ORDER BY 1, 2, 3, 4
    ON CONFLICT ("boxId", "hour", "outcome", "addedUpToMs") DO UPDATE SET "count" = "BoxMeasure"."count" + excluded."count"`;
}

/** Keeps a day more than is shown. @returns number of removed rows */
export async function removeOldMeasures(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.boxMeasure.deleteMany({ where: { hour: { lt: hourOf(now) - 2 * HOURS_SHOWN } }, limit })).count;
}
