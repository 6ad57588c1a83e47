import { drainInBatches } from '../concurrency/event-loop.js';
import type { Database } from './database.js';

/** Of the pages in use, as many stay free for new rows, so that the file does not shrink and grow again all the time. */
const SHARE_KEPT = 0.1;

/** Each is a statement of its own. Together they take a few milliseconds. */
const PAGES_PER_BATCH = 20;

/**
 * Gives most unused pages of the SQLite file back to the file system. Does nothing with PostgreSQL, whose autovacuum
 * reuses the room, and with a file that an older version created, which needs one `VACUUM` first.
 * @throws the reason of `signal` when it is aborted
 */
export async function shrinkSqlite({ dialect, writer }: Database, signal: AbortSignal): Promise<void> {
  if (dialect !== 'sqlite') return;
  const [facts] = await writer.$queryRaw<{ mode: bigint; free: bigint; all: bigint }[]>`
    SELECT "auto_vacuum" AS "mode", "freelist_count" AS "free", "page_count" AS "all"
    FROM pragma_auto_vacuum(), pragma_freelist_count(), pragma_page_count()`;
  if (facts === undefined || Number(facts.mode) !== INCREMENTAL) return;
  const free = Number(facts.free);
  let surplus = free - Math.ceil((Number(facts.all) - free) * SHARE_KEPT);
  await drainInBatches(signal, async () => {
    // One step of this statement frees one page, and the driver makes only one.
    for (let n = 0; n < PAGES_PER_BATCH && surplus > 0; n += 1, surplus -= 1) {
      await writer.$executeRaw`PRAGMA incremental_vacuum(1)`;
    }
    return surplus > 0;
  });
}

/** The value of `PRAGMA auto_vacuum`. */
const INCREMENTAL = 2;
