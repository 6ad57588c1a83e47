import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { StartError } from '../../config.js';
import type { Clock, Timer } from '../clock.js';
import type { Alone, Database } from './database.js';
import { beginForLock, endQuietly, keepLock, LOCK_TIMES, type LockTimes, STATEMENT_TIMEOUT_MS } from './postgres.js';

/** Arbitrary, but unique among the advisory locks of the database. */
const HOLD_LOCK = 4_900_101;

/** The server may take a moment to notice that the previous process has ended. */
const TRIES = 20;
const RETRY_AFTER_MS = 150;

const REGAIN_AFTER_MS = 1_000;

/** Extra time that the server may take to close a silent connection. */
const AFTER_SILENCE_MS = 10_000;

export interface DatabaseLock extends Alone {
  release(): Promise<void>;
}

interface Lost {
  backend: number;
  at: number;
}

/** `backend` is the id of the connection's server process. */
interface Held {
  client: pg.Client;
  backend: number;
}

/**
 * Holds the lock until its release or the end of the process. It belongs to an open, idle transaction, which a
 * pgbouncer in transaction mode keeps on one connection.
 * @throws {StartError} if another process has it
 */
export async function lockDatabase(url: string, clock: Clock, times = LOCK_TIMES): Promise<DatabaseLock> {
  const regained: (() => void)[] = [];
  let held: Held | null = null;
  let regaining: Timer | null = null;
  let isOver = false;
  let tellTaken: (error: StartError) => void = () => {};
  const taken = new Promise<StartError>((resolve) => {
    tellTaken = resolve;
  });
  const keep = (found: Held) => {
    held = found;
    found.client.once('end', () => {
      held = null;
      regainLater({ backend: found.backend, at: clock.now() });
    });
    keepLock(found.client, times);
  };
  const regainLater = (lost: Lost) => {
    if (!isOver) regaining = clock.after(REGAIN_AFTER_MS, () => void regain(lost));
  };
  const regain = async (lost: Lost) => {
    // Ignores an unreachable server, which other statements report.
    const found = await tryLock(url, times).catch(() => null);
    if (isHeld(found)) {
      if (isOver) return endQuietly(found.client);
      keep(found);
      for (const tell of regained) tell();
    } else if (found?.holder && !isOwn(found.holder, lost)) tellTaken(new StartError(TAKEN));
    else regainLater(lost);
  };
  /** The server may not have noticed yet that the connection is lost. */
  const isOwn = (holder: number, { backend, at }: Lost) =>
    holder === backend && clock.now() - at <= times.silence + AFTER_SILENCE_MS;
  const isBegun = await untilTrue(async () => {
    const found = await tryLock(url, times);
    if (isHeld(found)) keep(found);
    return isHeld(found);
  });
  if (!isBegun) throw new StartError(TAKEN);
  return {
    taken,
    onRegained: (listener) => void regained.push(listener),
    async release() {
      isOver = true;
      regaining?.cancel();
      await held?.client.end().catch(() => {});
    },
  };
}

const TAKEN =
  'another Causeway process uses the database of DATABASE_URL. Stop it, or set REDIS_URL for all processes. If its machine was lost, wait half a minute';

/** `holder` is the server process with the lock; null if it was just released. */
interface Refusal {
  holder: number | null;
}

function isHeld(found: Held | Refusal | null): found is Held {
  return found !== null && 'client' in found;
}

/** `pg_locks` shows a bigint key as two halves; the first is 0 for a small key. */
const FIND_HOLDER = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid = 0 AND objid = $1 AND objsubid = 1`;

/** The server process with the lock, or null. It belongs to a process without Redis. */
export async function findLockHolder(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>(FIND_HOLDER, [HOLD_LOCK]);
  return rows[0]?.pid ?? null;
}

async function tryLock(url: string, times: LockTimes): Promise<Held | Refusal> {
  const client = await beginForLock(url, times, STATEMENT_TIMEOUT_MS);
  try {
    const { rows } = await client.query<{ held: boolean; backend: number }>(
      'SELECT pg_try_advisory_xact_lock($1) AS held, pg_backend_pid() AS backend',
      [HOLD_LOCK],
    );
    const [row] = rows;
    if (row?.held) return { client, backend: row.backend };
    const holder = await findLockHolder(client);
    endQuietly(client);
    return { holder };
  } catch (error) {
    endQuietly(client);
    throw error;
  }
}

export async function isDatabaseLocked({ reader }: Pick<Database, 'reader'>): Promise<boolean> {
  const isFree = async () => {
    const [row] = await reader.$queryRaw<
      { free: boolean }[]
    >`SELECT pg_try_advisory_xact_lock_shared(${HOLD_LOCK}) AS free`;
    return row?.free === true;
  };
  return !(await untilTrue(isFree));
}

async function untilTrue(ask: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    if (await ask()) return true;
    if (attempt === TRIES) return false;
    await setTimeout(RETRY_AFTER_MS);
  }
}
