import { LRUCache } from 'lru-cache';
import { atMost } from '../caching/at-most.js';
import { type Database, Prisma, type Transaction } from '../database/index.js';
import { inLockOrder } from './topics.js';

/** A stream's number of a change, while its transaction is open. */
export interface TakenClock {
  clock: number;
  /** The highest id of the stream's messages. */
  newestId: bigint;
}

/**
 * Numbers the changes of each stream in the order of their commits. A taken clock locks its stream until the
 * transaction ends.
 */
export interface Clocks {
  /** Call this once, first in a transaction, so that all transactions lock in the same order. */
  take(db: Transaction, topics: readonly string[]): Promise<Map<string, TakenClock>>;
  /** Keeps the id of a new message in streams whose clocks are taken. */
  keepNewestId(db: Transaction, topics: readonly string[], id: bigint): Promise<void>;
}

export function createClocks(db: Database): Clocks {
  return db.dialect === 'postgresql' ? new StoredClocks() : new CountedClocks();
}

/** PostgreSQL ends a transaction that stalls while others wait for its clocks. */
const STALLED_MS = 2_000;

/** Waits in line for a stream. PostgreSQL serves advisory locks in order; of those who wait for a row, any may be next. */
export function turnOf(topic: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`pg_advisory_xact_lock(hashtextextended(${topic}, 0))`;
}

/** PostgreSQL: one row per stream. */
class StoredClocks implements Clocks {
  async take(db: Transaction, topics: readonly string[]): Promise<Map<string, TakenClock>> {
    if (topics.length === 0) return new Map();
    const rows = Prisma.join(inLockOrder(topics).map((topic, place) => Prisma.sql`(${topic}, ${place}::int)`));
    const taken = await db.$queryRaw<{ key: string; seq: bigint; newestId: bigint }[]>`
      WITH "turn" AS MATERIALIZED (
        SELECT "key", ${turnOf(Prisma.sql`"key"`)} FROM (VALUES ${rows}) AS "topic" ("key", "place") ORDER BY "place"
      )
      INSERT INTO "StreamClock" ("key", "seq", "newestId") SELECT "key", 1, 0 FROM "turn"
      ON CONFLICT ("key") DO UPDATE SET "seq" = "StreamClock"."seq" + 1
      RETURNING "key", "seq", "newestId",
        set_config('statement_timeout', ${String(STALLED_MS)}, true),
        set_config('idle_in_transaction_session_timeout', ${String(STALLED_MS)}, true)`;
    return new Map(taken.map(({ key, seq, newestId }) => [key, { clock: Number(seq), newestId }]));
  }

  async keepNewestId(db: Transaction, topics: readonly string[], id: bigint): Promise<void> {
    await db.streamClock.updateMany({ where: { key: { in: [...topics] } }, data: { newestId: id } });
  }
}

const MAX_STREAMS = 10_000;

/** SQLite: one process with one writer, so one counter serves all streams. It never repeats a number of an earlier run. */
class CountedClocks implements Clocks {
  #last = Date.now() * 1_000;
  readonly #newestIds = new LRUCache<string, bigint>(atMost(MAX_STREAMS));

  async take(_db: Transaction, topics: readonly string[]): Promise<Map<string, TakenClock>> {
    this.#last += 1;
    const newestId = (topic: string) => this.#newestIds.get(topic) ?? 0n;
    return new Map(topics.map((topic) => [topic, { clock: this.#last, newestId: newestId(topic) }]));
  }

  async keepNewestId(_db: Transaction, topics: readonly string[], id: bigint): Promise<void> {
    for (const topic of topics) this.#newestIds.set(topic, id);
  }
}
