import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.js';
import type { PostgresFacts } from '../../infra/database/inspect-postgres.js';
import type { SqliteFacts } from '../../infra/database/inspect-sqlite.js';
import { type Check, failure, messageOf, passed, sizeOf, skipped, warning } from './check.js';
import type { ClockReading } from './clock.js';

export interface DatabaseResult {
  checks: Check[];
  clocks: ClockReading[];
}

/** @param isRunning whether a process with these settings runs, and has its connections already */
export async function checkDatabase(config: Config, isRunning: boolean): Promise<DatabaseResult> {
  const standing = await checkStanding(config);
  if (standing.state === 'failure') return { checks: [standing], clocks: [] };
  if (config.databaseUrl === null)
    return { checks: [standing, ...(await checkSqliteFile(config, isRunning))], clocks: [] };
  const { inspectPostgres } = await import('../../infra/database/inspect-postgres.js');
  const { openFault } = await import('../../infra/database/open-fault.js');
  try {
    const facts = await inspectPostgres(config.databaseUrl);
    const clock = { of: 'PostgreSQL', offsetMs: facts.clockOffsetMs, withinMs: facts.latencyMs };
    return { checks: [standing, ...checkPostgres(facts, config, isRunning)], clocks: [clock] };
  } catch (error) {
    return { checks: [failure('database', openFault(error, config).message)], clocks: [] };
  }
}

async function checkStanding(config: Config): Promise<Check> {
  const { inspectDatabase } = await import('../../infra/database/inspect.js');
  try {
    const { isNew, missing } = await inspectDatabase(config);
    if (isNew) return passed('database', 'the first start creates its tables');
    if (missing.length === 0) return passed('database', 'it fits this version');
    return warning(
      'database',
      `the next start applies ${missing.length} migrations, the last of them ${missing.at(-1)?.name}`,
      'Back up the database first: an older version of Causeway cannot use it afterwards.',
    );
  } catch (error) {
    const text = messageOf(error);
    return failure('database', text, /malformed|not a database/.test(text) ? RESTORE : undefined);
  }
}

/** Numbers of Linux for file systems on other machines (statfs(2)). SQLite's locks do not work on them. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
]);

async function checkSqliteFile({ dataDir }: Config, isRunning: boolean): Promise<Check[]> {
  const use = await checkFolderUse(dataDir, isRunning);
  const file = join(dataDir, 'causeway.db');
  if (!existsSync(file)) return use;
  const { inspectSqlite } = await import('../../infra/database/inspect-sqlite.js');
  try {
    const facts = await inspectSqlite(file);
    return [...use, integrityOf(facts, file), fileOf(facts, dataDir, isRunning)];
  } catch (error) {
    return [...use, failure('database-integrity', messageOf(error), RESTORE)];
  }
}

async function checkFolderUse(dataDir: string, isRunning: boolean): Promise<Check[]> {
  const { findFolderOwner } = await import('../../infra/database/folder-lock.js');
  const owner = existsSync(dataDir) ? await findFolderOwner(dataDir) : null;
  if (owner === null) return [];
  if (isRunning) return [passed('database-use', 'the running process uses it')];
  return [
    failure(
      'database-use',
      `${owner} uses ${dataDir}, at another port`,
      'Stop it, set its PORT, or set another DATA_DIR. Several processes need PostgreSQL and Redis.',
    ),
  ];
}

const RESTORE = 'Stop Causeway, keep a copy of the file, and restore the last backup.';

function integrityOf({ integrity, size }: SqliteFacts, file: string): Check {
  const id = 'database-integrity';
  if (integrity === 'ok') return passed(id, 'SQLite finds no fault in the file');
  if (integrity !== null) return failure(id, `the file is damaged: ${integrity}`, RESTORE);
  return skipped(id, `the file has ${sizeOf(size)}; check it with sqlite3 ${file} 'PRAGMA quick_check'`);
}

/** Share of unused pages from which the advice is worth it, in a file that is not small. */
const MUCH_UNUSED = 0.5;
const LARGE_FILE = 256 * 2 ** 20;

function fileOf({ size, reclaimable, journalMode }: SqliteFacts, dataDir: string, isRunning: boolean): Check {
  const id = 'database-file';
  const network = NETWORK_FILE_SYSTEMS.get(statfsSync(dataDir).type);
  if (network !== undefined) {
    return failure(
      id,
      `DATA_DIR is on ${network}, where SQLite can lose or damage data`,
      'Move DATA_DIR to a local disk, or use PostgreSQL.',
    );
  }
  if (isRunning && journalMode !== 'wal') {
    return warning(
      id,
      `the journal mode is ${journalMode} instead of wal, so writes block reads`,
      'The file system does not support it: move DATA_DIR to a local disk.',
    );
  }
  const text = `${sizeOf(size)}, of them ${sizeOf(reclaimable)} unused`;
  if (size < LARGE_FILE || reclaimable < size * MUCH_UNUSED) return passed(id, text);
  return warning(
    id,
    text,
    `To shrink the file, stop Causeway and run sqlite3 ${dataDir}/causeway.db 'PRAGMA auto_vacuum = INCREMENTAL; VACUUM', which needs as much free space.`,
  );
}

/** The oldest version that the tests use. */
const OLDEST_TESTED = 15;

function checkPostgres(facts: PostgresFacts, { databasePool, redisUrl }: Config, isRunning: boolean): Check[] {
  return [
    versionOf(facts),
    encodingOf(facts),
    ...collationOf(facts),
    ...accessOf(facts),
    latencyOf(facts),
    facts.isPooled ? poolerOf(facts) : connectionsOf(facts, databasePool, isRunning),
    ...useOf(facts, redisUrl !== null, isRunning),
  ];
}

function versionOf({ version }: PostgresFacts): Check {
  if (Number.parseInt(version, 10) >= OLDEST_TESTED)
    return passed('database-version', `PostgreSQL ${version.split(' ', 1)[0]}`);
  return warning(
    'database-version',
    `PostgreSQL ${version} is older than ${OLDEST_TESTED}, the oldest version that Causeway is tested with`,
    'Upgrade PostgreSQL.',
  );
}

function encodingOf({ encoding, collation }: PostgresFacts): Check {
  if (encoding === 'UTF8') return passed('database-encoding', `UTF8, with the locale ${collation}; any locale will do`);
  return failure(
    'database-encoding',
    `the encoding is ${encoding}, which cannot store emoji and most scripts`,
    'Create a database with CREATE DATABASE … ENCODING UTF8 TEMPLATE template0 and restore a dump of this one into it.',
  );
}

function collationOf({ outdatedCollation, collation }: PostgresFacts): Check[] {
  if (outdatedCollation === null) return [];
  return [
    warning(
      'database-collation',
      `indexes were made with version ${outdatedCollation} of the locale ${collation}, and the system now has another one, so unique names may not be found`,
      'Run REINDEX DATABASE and then ALTER DATABASE … REFRESH COLLATION VERSION.',
    ),
  ];
}

function accessOf({ isReadOnly, mayCreateTables }: PostgresFacts): Check[] {
  return [
    ...(isReadOnly
      ? [failure('database', 'it is read-only', 'Point DATABASE_URL to the primary server, not to a replica.')]
      : []),
    ...(mayCreateTables || isReadOnly
      ? []
      : [
          failure(
            'database',
            'its user may not create tables, which migrations do',
            'Make the user the owner of the database: ALTER DATABASE … OWNER TO …',
          ),
        ]),
  ];
}

/** A request needs several statements. */
const SLOW_MS = 10;

function latencyOf({ latencyMs }: PostgresFacts): Check {
  const text = `a statement takes ${latencyMs.toFixed(1)} ms`;
  if (latencyMs <= SLOW_MS) return passed('database-latency', text);
  return warning(
    'database-latency',
    `${text}, and a request needs several`,
    'Run Causeway close to the database, or find out what loads the database.',
  );
}

function poolerOf({ refusesTransactions }: PostgresFacts): Check {
  if (!refusesTransactions)
    return passed(
      'database-pooler',
      'pgbouncer in session or transaction mode. Its limits apply, so connections are not counted',
    );
  return failure(
    'database-pooler',
    'the pooler refuses transactions, as pgbouncer does in statement mode',
    'Set pool_mode = transaction in pgbouncer.ini.',
  );
}

/** For migrations and locks besides the pool. */
const NEEDED_TO_START = 3;

/** For backups and other tools. */
const SPARE = 5;

function connectionsOf({ freeConnections, maxConnections }: PostgresFacts, pool: number, isRunning: boolean): Check {
  const id = 'database-connections';
  const needed = isRunning ? SPARE : pool + 1;
  const text = `${freeConnections} of ${maxConnections} are free`;
  const need = isRunning ? 'few are left for other processes and backups' : `a process opens up to ${pool + 1}`;
  const advice = 'Raise max_connections, lower DATABASE_POOL of all processes, or put pgbouncer in between.';
  if (freeConnections < NEEDED_TO_START) return failure(id, `${text}; ${need}`, advice);
  if (freeConnections < needed) return warning(id, `${text}; ${need}`, advice);
  return passed(id, text);
}

function useOf({ lockHolder }: PostgresFacts, hasRedis: boolean, isRunning: boolean): Check[] {
  if (lockHolder === null || (isRunning && !hasRedis)) return [];
  return [
    failure(
      'database-use',
      'a Causeway process without REDIS_URL uses the database, so a second process cannot start',
      'Stop it, or set REDIS_URL for all processes. If its machine was lost, wait half a minute.',
    ),
  ];
}
