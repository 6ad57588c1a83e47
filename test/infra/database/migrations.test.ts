import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Dialect, migrate } from '../../../src/infra/database/migrations.js';
import { postgresForMigrations } from '../../../src/infra/database/postgres.js';
import { throwAwayDatabase } from '../../harness/databases.js';

let dialect: Dialect;
let factory: SqlMigrationAwareDriverAdapterFactory;
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
  it('gets its tables where there are none, and keeps them as they are when there is nothing to migrate', async () => {
    await migrate(dialect, factory);
    const ledger = await readLedger();
    expect(ledger.length).toBeGreaterThan(0);
    expect(await run('SELECT count(*) FROM "User"')).toHaveLength(1);
    await migrate(dialect, factory);
    expect(await readLedger()).toEqual(ledger);
  });

  it('is left alone where a later version has migrated it', async () => {
    await migrate(dialect, factory);
    await change(`INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
      VALUES ('later', 'x', CURRENT_TIMESTAMP, '99991231000000_later', 1)`);
    await expect(migrate(dialect, factory)).resolves.toBeUndefined();
  });
});

describe('the engine is asked, and refuses,', () => {
  it.each([
    ['a migration that was begun and did not end', 'UPDATE _prisma_migrations SET finished_at = NULL', /failed/i],
    ['a migration that the ledger does not name', 'DELETE FROM _prisma_migrations', /.+/],
    [
      'a migration that was taken back',
      'UPDATE _prisma_migrations SET rolled_back_at = CURRENT_TIMESTAMP, finished_at = NULL',
      /.+/,
    ],
  ])('%s, whose tables are there', async (_, sql, reason) => {
    await migrate(dialect, factory);
    await change(sql);
    await expect(migrate(dialect, factory)).rejects.toThrow(reason);
  });
});
