import type { Clock } from '../../infra/clock.js';
import { mayBeDone } from '../../infra/database/faults.js';
import { Prisma, type Transaction } from '../../infra/database/index.js';
import type { Logger } from '../../infra/logger.js';
import { RELAY_OUTCOMES, type RelayOutcome } from '../../infra/metrics.js';
import { PutOff } from '../../infra/put-off.js';
import { inPieces } from '../../infra/turns.js';
import type { CallContext } from '../call.js';
import { refusalIn } from '../errors.js';
import { ADDED_UP_TO_MS, HOURS_SHOWN, hourOf, NOT_KNOWN, stepOf } from './statistics.js';

/** How long counts are gathered before they are stored, in milliseconds. */
const GATHERED_MS = 5_000;

/** Of so many boxes and hours counts may wait; what is counted beyond them, while nothing can be stored, is lost. */
const MAX_WAITING = 10_000;

/** Rows of one statement, each of which has five parameters: SQLite takes 999. */
const PER_STATEMENT = 190;

/** What is counted for itself, in the order of the counts of a box. */
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
  /** In {@link COUNTED}. */
  place: number;
  count: number;
}

interface BoxMeasuresParts {
  clock: Clock;
  log: Logger;
  callOfNobody: () => CallContext;
}

/**
 * Counts what becomes of requests to boxes, by box and hour. What was gathered is added to what is stored while nobody waits, so that several
 * processes count together. What cannot be stored fails nothing and is tried again; what may have been stored is not, so that nothing counts twice.
 */
export class BoxMeasures {
  /** By hour and box, in the order of {@link COUNTED}. */
  #waiting = new Map<number, Map<bigint, Uint32Array>>();
  #size = 0;
  readonly #storing: PutOff;

  constructor(private readonly parts: BoxMeasuresParts) {
    this.#storing = new PutOff(parts.clock, () => this.#storeWaiting());
  }

  /**
   * Something was asked of a box. This is on the way of every request.
   * @param addedMs what the relay added to an answer, in milliseconds; null where that is not known
   */
  note(boxId: bigint, outcome: RelayOutcome, addedMs: number | null): void {
    this.#add(hourOf(this.parts.clock.now()), boxId, placeOf(outcome, addedMs), 1);
    this.#storing.for(GATHERED_MS);
  }

  /** Stores what was counted. Settles when nothing is under way any more. */
  store(): Promise<void> {
    return this.#storing.now();
  }

  /** Up to the first statement that fails: the next one would wait as long. */
  async #storeWaiting(): Promise<void> {
    const pieces = [...inPieces(rowsOf(this.#waiting), PER_STATEMENT)];
    this.#waiting = new Map();
    this.#size = 0;
    for (const [index, piece] of pieces.entries()) {
      try {
        await this.parts.callOfNobody().writeOne((db) => addMeasures(db, piece));
      } catch (error) {
        this.#putBack(pieces.slice(mayBeDone(error) ? index + 1 : index).flat());
        if (!refusalIn(error))
          this.parts.log.error({ err: error }, 'what became of requests to boxes could not be stored');
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

  /** @returns null where too much waits */
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

/** Where it is in {@link COUNTED}. */
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

/**
 * Adds to what is there, in one order in all processes: two that add to the same rows wait for each other in one direction. Of a box that
 * was deleted meanwhile nothing is kept.
 */
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

/** Removes what was counted a day before anything that is shown, as many rows as `limit` at most. @returns how many */
export async function removeOldMeasures(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.boxMeasure.deleteMany({ where: { hour: { lt: hourOf(now) - 2 * HOURS_SHOWN } }, limit })).count;
}
