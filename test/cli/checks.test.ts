import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Check, CheckName } from '../../src/cli/checks/check.js';
import { runChecks } from '../../src/cli/checks/index.js';
import { migrate, migrationsFolder } from '../../src/infra/database/migrations.js';
import { postgresForMigrations } from '../../src/infra/database/postgres.js';
import { betterSqlite3 } from '../../src/infra/database/sqlite-driver.js';
import { createLogger } from '../../src/infra/observability/logger.js';
import { throwAwayDatabase } from '../harness/databases.js';
import { missingRedis, REDIS_URL } from '../harness/redis.js';
import { migratedDatabase, migratedFolder } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

const missing = await missingRedis();

let env: Record<string, string>;
let cleanUps: (() => Promise<unknown>)[];

beforeEach(() => {
  cleanUps = [];
  env = { PORT: '0', SHARED_DATA_DIR: 'on' };
});
afterEach(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
});

/** @param kind `changed`: a migrated one whose record of migrations the test changes; other tests reuse `migrated` ones */
async function useDatabase(kind: 'new' | 'migrated' | 'changed'): Promise<void> {
  const database = await (kind === 'migrated' ? migratedDatabase() : throwAwayDatabase());
  if (database && kind === 'changed') {
    await migrate('postgresql', postgresForMigrations(database.url), await createLogger('silent'));
  }
  const folder = await (kind === 'new' ? mkdtemp(join(tmpdir(), 'causeway-checks-')) : migratedFolder());
  cleanUps.push(async () => Promise.all([database?.drop(), rm(folder, { recursive: true })]));
  env = { ...env, DATA_DIR: folder, ...(database && { DATABASE_URL: database.url }) };
}

async function change(sql: string): Promise<void> {
  const factory = env.DATABASE_URL
    ? postgresForMigrations(env.DATABASE_URL)
    : betterSqlite3({ url: `file:${join(env.DATA_DIR ?? '', 'causeway.db')}` });
  const connection = await factory.connect();
  await connection.executeRaw({ sql, args: [], argTypes: [] });
  await connection.dispose();
}

async function check(name: CheckName): Promise<Check[]> {
  const checks = await runChecks('cloud', env);
  return checks.filter((one) => one.name === name);
}

describe('a complete environment', () => {
  beforeEach(() => useDatabase('migrated'));

  it('passes every check', async () => {
    const checks = await runChecks('cloud', env);
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['node', 'images', 'passwords', 'portal', 'settings', 'port', 'data-dir', 'database']),
    );
  });

  it('is the same after the checks', async () => {
    const folder = env.DATA_DIR ?? '';
    const before = await readdir(folder);
    await runChecks('cloud', env);
    expect(await readdir(folder)).toEqual(before);
  });
});

describe('the database', () => {
  it('is ready for a first start if it has no tables', async () => {
    await useDatabase('new');
    expect(await check('database')).toEqual([
      { name: 'database', status: 'ok', message: 'the first start creates its tables' },
    ]);
    expect(await readdir(env.DATA_DIR ?? '')).toEqual([]);
  });

  it('warns about the migrations of the next start', async () => {
    await useDatabase('changed');
    const newest = (await readdir(migrationsFolder(env.DATABASE_URL ? 'postgresql' : 'sqlite')))
      .filter((name) => /^\d/.test(name))
      .toSorted()
      .at(-1);
    await change(`DELETE FROM _prisma_migrations WHERE migration_name = '${newest}'`);
    expect(await check('database')).toMatchObject([
      { status: 'warning', message: `the next start applies 1 migrations, the last of them ${newest}` },
    ]);
  });

  it('is an error if a newer version migrated it', async () => {
    await useDatabase('changed');
    await change(
      `UPDATE _prisma_migrations SET migration_name = '2099_future' WHERE migration_name IN (SELECT max(migration_name) FROM _prisma_migrations)`,
    );
    expect(await check('database')).toMatchObject([
      { status: 'error', message: expect.stringContaining('the database is newer than this version') },
    ]);
  });

  it('is an error if it is not reachable', async () => {
    await useDatabase('new');
    env.DATABASE_URL = 'postgresql://somebody:secret@127.0.0.1:1/causeway';
    const [found] = await check('database');
    expect(found).toMatchObject({ status: 'error', message: expect.stringContaining('"causeway" at 127.0.0.1:1') });
    expect(found?.message).not.toContain('secret');
  });
});

describe('the settings', () => {
  beforeEach(() => useDatabase('new'));

  it('are an error each if they are wrong, and nothing that depends on them is checked', async () => {
    const checks = await runChecks('cloud', { ...env, PORT: 'x', LOG_LEVEL: 'loud' });
    expect(checks.flatMap(({ status, message }) => (status === 'error' ? [message.split(' ')[0]] : []))).toEqual([
      'PORT',
      'LOG_LEVEL',
    ]);
    expect(checks.map(({ name }) => name)).not.toContain('database');
  });

  it('warn about a misspelt name', async () => {
    env.DATABASE_ULR = 'x';
    expect(await check('settings')).toEqual([
      { name: 'settings', status: 'warning', message: 'DATABASE_ULR is not a setting; did you mean DATABASE_URL?' },
    ]);
  });
});

it('the port is an error if another program uses it', async () => {
  await useDatabase('new');
  const other = createServer().listen(0, '127.0.0.1');
  cleanUps.push(async () => other.close());
  await once(other, 'listening');
  env.PORT = String((other.address() as AddressInfo).port);
  expect(await check('port')).toMatchObject([
    { status: 'error', message: expect.stringContaining(`port ${env.PORT} is already in use`) },
  ]);
});

it('the data folder is an error if it is a file', async () => {
  await useDatabase('new');
  const file = join(env.DATA_DIR ?? '', 'file');
  await writeFile(file, '');
  env.DATA_DIR = file;
  expect(await check('data-dir')).toMatchObject([
    { status: 'error', message: `${file} cannot be written: ${file} is not a folder` },
  ]);
});

describe('Redis', () => {
  beforeEach(() => useDatabase('migrated'));

  it('is a warning if it does not answer, because the platform starts without it', async () => {
    env.REDIS_URL = 'redis://127.0.0.1:1';
    expect(await check('redis')).toMatchObject([{ status: 'warning', message: 'no answer from 127.0.0.1:1' }]);
  });

  it.skipIf(missing !== null)(
    needing(missing, 'passes if it answers, and is an error if it refuses the database'),
    async () => {
      env.REDIS_URL = REDIS_URL;
      expect(await check('redis')).toMatchObject([{ status: 'ok' }]);
      env.REDIS_URL = `${REDIS_URL}/99999`;
      expect(await check('redis')).toMatchObject([{ status: 'error', message: expect.stringContaining('refused') }]);
    },
  );
});
