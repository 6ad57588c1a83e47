import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartError } from '../../../src/config.js';
import type { Dialect } from '../../../src/infra/database/ledger.js';
import { migrate, migrationsFolder } from '../../../src/infra/database/migrations.js';
import { postgresForMigrations } from '../../../src/infra/database/postgres.js';
import { throwAwayDatabase } from '../../harness/databases.js';
import { readableLog } from '../../harness/log.js';

const { log } = readableLog();

let dialect: Dialect;
let factory: SqlDriverAdapterFactory;
let drop: () => Promise<unknown>;

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-migrations-'));
  const database = await throwAwayDatabase();
  dialect = database ? 'postgresql' : 'sqlite';
  factory = database
    ? postgresForMigrations(database.url)
    : new PrismaBetterSqlite3({ url: `file:${join(folder, 'causeway.db')}` });
  drop = () => Promise.all([rm(folder, { recursive: true, force: true }), database?.drop()]);
});
afterEach(() => drop());

async function run(sql: string): Promise<unknown[][]> {
  const connection = await factory.connect();
  try {
    return (await connection.queryRaw({ sql, args: [], argTypes: [] })).rows;
  } finally {
    await connection.dispose();
  }
}

async function change(sql: string): Promise<void> {
  const connection = await factory.connect();
  try {
    await connection.executeRaw({ sql, args: [], argTypes: [] });
  } finally {
    await connection.dispose();
  }
}

const readLedger = () => run('SELECT * FROM _prisma_migrations ORDER BY migration_name');

describe('a database', () => {
  it('gets its tables if it has none, and stays as it is without new migrations', async () => {
    await migrate(dialect, factory, log);
    const ledger = await readLedger();
    expect(ledger.length).toBeGreaterThan(0);
    expect(await run('SELECT count(*) FROM "User"')).toHaveLength(1);
    await migrate(dialect, factory, log);
    expect(await readLedger()).toEqual(ledger);
  });

  it('logs its migrations in one line, once', async () => {
    const { log, lines } = readableLog('info');
    await migrate(dialect, factory, log);
    await migrate(dialect, factory, log);
    const names = await run('SELECT migration_name FROM _prisma_migrations ORDER BY migration_name');
    expect(lines).toHaveLength(1);
    const told = JSON.parse(lines[0] ?? '');
    expect(told).toMatchObject({ level: 30, migrations: names.flat(), ms: expect.any(Number) });
    expect(told.msg).toBe(`Database migrated: ${names.length} applied in ${told.ms} ms`);
  });
});

describe('a start is refused with one line of instructions for a database', () => {
  beforeEach(() => migrate(dialect, factory, log));

  async function refusal(): Promise<string> {
    const error = await migrate(dialect, factory, log).catch((fault: unknown) => fault);
    if (!(error instanceof StartError)) throw new Error('it was not refused', { cause: error });
    expect(error.message).not.toContain('\n');
    return error.message;
  }

  const later = (name: string, finishedAt: string) =>
    change(`INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
      VALUES ('${name}', 'x', ${finishedAt}, '${name}', 1)`);

  it('that a later version has migrated, with the name of its newest migration', async () => {
    await later('99991231000000_latest', 'CURRENT_TIMESTAMP');
    await later('99981231000000_later', 'CURRENT_TIMESTAMP');
    expect(await refusal()).toBe(
      'the database is newer than this version of Causeway, which does not know its migration 99991231000000_latest. Start the newer version, or restore the backup made before the upgrade. Running processes of this version may continue',
    );
  });

  it('that a later version has begun to migrate', async () => {
    await later('99991231000000_later', 'NULL');
    expect(await refusal()).toContain('does not know its migration 99991231000000_later');
  });

  it('with a migration that began and did not end, with the error of the database', async () => {
    const [newest = []] = await run('SELECT max(migration_name) FROM _prisma_migrations');
    const named = `WHERE migration_name = '${newest[0]}'`;
    await change(`UPDATE _prisma_migrations SET finished_at = NULL ${named}`);
    expect(await refusal()).toBe(
      `the database migration ${newest[0]} started but did not finish: restore the backup made before the upgrade, or delete the database if it is new, then start again`,
    );
    await change(`UPDATE _prisma_migrations SET logs = 'the disk
  is full' ${named}`);
    expect(await refusal()).toContain('did not finish (the disk is full): restore');
  });

  it('with a migration of other content', async () => {
    const [oldest = []] = await run('SELECT min(migration_name) FROM _prisma_migrations');
    await change(`UPDATE _prisma_migrations SET checksum = 'x' WHERE migration_name = '${oldest[0]}'`);
    expect(await refusal()).toContain(
      `the migration ${oldest[0]} of this version differs from the one applied to the database`,
    );
  });

  it('but not if the file differs in its line endings only', async () => {
    const [[name] = []] = await run('SELECT min(migration_name) FROM _prisma_migrations');
    const sql = await readFile(join(migrationsFolder(dialect), String(name), 'migration.sql'), 'utf8');
    const checksum = createHash('sha256').update(sql.replaceAll('\n', '\r\n')).digest('hex');
    await change(`UPDATE _prisma_migrations SET checksum = '${checksum}' WHERE migration_name = '${name}'`);
    await migrate(dialect, factory, log);
  });

  it('but not if the unknown migration was rolled back', async () => {
    await later('99991231000000_later', 'NULL');
    await change(`UPDATE _prisma_migrations SET rolled_back_at = CURRENT_TIMESTAMP
      WHERE migration_name = '99991231000000_later'`);
    await migrate(dialect, factory, log);
  });
});

it('a database with tables of another program is refused', async () => {
  await change('CREATE TABLE "Other" ("id" int)');
  await expect(migrate(dialect, factory, log)).rejects.toThrow('the database is not empty');
  expect(await run('SELECT * FROM "Other"')).toEqual([]);
});

it('a migration that fails prevents later starts, with the error of the database', async () => {
  await migrate(dialect, factory, log);
  const [[newest] = []] = await run('SELECT max(migration_name) FROM _prisma_migrations');
  await change(`DELETE FROM _prisma_migrations WHERE migration_name = '${newest}'`);
  const first = await migrate(dialect, factory, log).catch((error: Error) => error.message);
  expect(first).toMatch(/already exists|duplicate column/);
  await expect(migrate(dialect, factory, log)).rejects.toThrow(
    `the database migration ${newest} started but did not finish (${first}): restore`,
  );
});

describe('the database refuses', () => {
  it.each([
    ['a migration that the ledger does not name', 'DELETE FROM _prisma_migrations', /.+/],
    [
      'a migration that was taken back',
      'UPDATE _prisma_migrations SET rolled_back_at = CURRENT_TIMESTAMP, finished_at = NULL',
      /.+/,
    ],
  ])('%s, whose tables exist', async (_, sql, reason) => {
    await migrate(dialect, factory, log);
    await change(sql);
    await expect(migrate(dialect, factory, log)).rejects.toThrow(reason);
  });
});
