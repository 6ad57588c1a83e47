import { once } from 'node:events';
import { chmod, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHECK_IDS, type Check, type CheckId } from '../../src/cli/checks/check.js';
import { runChecks } from '../../src/cli/checks/index.js';
import { checkSettings } from '../../src/cli/checks/settings.js';
import { systemClock } from '../../src/infra/clock.js';
import { lockDatabase } from '../../src/infra/database/database-lock.js';
import { lockFolder } from '../../src/infra/database/folder-lock.js';
import { migrate, migrationsFolder } from '../../src/infra/database/migrations.js';
import { postgresForMigrations } from '../../src/infra/database/postgres.js';
import { betterSqlite3 } from '../../src/infra/database/sqlite-driver.js';
import { createLogger } from '../../src/infra/observability/logger.js';
import { throwAwayDatabase } from '../harness/databases.js';
import { noPostgres } from '../harness/interleave.js';
import { startSmtpSink } from '../harness/mails.js';
import { missingForPgbouncer, startPgbouncer } from '../harness/pgbouncer.js';
import { missingRedis, REDIS_URL } from '../harness/redis.js';
import { migratedDatabase, migratedFolder, startServer } from '../harness/server.js';
import { needing, noSqlite } from '../harness/skipping.js';
import { missingForMount, mountSmallDisk } from '../harness/small-disk.js';

const noRedis = await missingRedis();
const noPgbouncer = missingForPgbouncer();
const noSmallDisk = missingForMount();

let env: Record<string, string>;
let cleanUps: (() => unknown)[];

beforeEach(() => {
  cleanUps = [];
  env = { PORT: '0', SHARED_DATA_DIR: 'on' };
});
afterEach(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** @param kind `changed`: a migrated one that the test changes; other tests reuse `migrated` ones */
async function useDatabase(kind: 'new' | 'migrated' | 'changed', options = ''): Promise<void> {
  const database = await (kind === 'migrated' ? migratedDatabase() : throwAwayDatabase(options));
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

async function check(...ids: CheckId[]): Promise<Check[]> {
  const checks = await runChecks('cloud', { environment: env });
  return checks.filter(({ id }) => ids.includes(id));
}

function doubts(): string[] {
  const { checks } = checkSettings('cloud', env);
  return checks.flatMap(({ state, message }) => (state === 'warning' ? [message] : []));
}

describe('a complete environment', () => {
  beforeEach(() => useDatabase('migrated'));

  it('passes every check', async () => {
    const checks = await runChecks('cloud', { environment: env });
    expect(checks.filter(({ state }) => state === 'warning' || state === 'failure')).toEqual([]);
    expect(checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        ...['node', 'images', 'passwords', 'portal', 'settings', 'port', 'data-dir', 'disk', 'memory', 'database'],
        ...(env.DATABASE_URL ? ['database-encoding', 'database-connections'] : ['database-integrity']),
      ]),
    );
  });

  it('is the same after the checks', async () => {
    const folder = env.DATA_DIR ?? '';
    const before = await readdir(folder);
    await runChecks('cloud', { environment: env });
    expect(await readdir(folder)).toEqual(before);
  });
});

it('every check is in the guide', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) => row.split('|')[1]?.match(/(?<=`)[a-z-]+(?=`)/g) ?? []);
  expect(listed).toEqual(expect.arrayContaining([...CHECK_IDS]));
});

describe('the database', () => {
  it('is ready for a first start if it has no tables', async () => {
    await useDatabase('new');
    expect(await check('database')).toEqual([
      { id: 'database', state: 'ok', message: 'the first start creates its tables' },
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
      { state: 'warning', message: `the next start applies 1 migrations, the last of them ${newest}` },
    ]);
  });

  it('fails if a newer version migrated it', async () => {
    await useDatabase('changed');
    await change(
      `UPDATE _prisma_migrations SET migration_name = '2099_future' WHERE migration_name IN (SELECT max(migration_name) FROM _prisma_migrations)`,
    );
    expect(await check('database')).toMatchObject([
      { state: 'failure', message: expect.stringContaining('the database is newer than this version') },
    ]);
  });

  it('fails if it is not reachable', async () => {
    await useDatabase('new');
    env.DATABASE_URL = 'postgresql://somebody:secret@127.0.0.1:1/causeway';
    const [found] = await check('database');
    expect(found).toMatchObject({ state: 'failure', message: expect.stringContaining('"causeway" at 127.0.0.1:1') });
    expect(found?.message).not.toContain('secret');
  });
});

describe.skipIf(noSqlite)(needing(noSqlite, 'SQLite'), () => {
  beforeEach(() => useDatabase('changed'));

  it.each<[CheckId, number]>([
    ['database', 0],
    ['database-integrity', 0.5],
  ])('fails the check %s if the file is damaged', async (id, place) => {
    const file = await open(join(env.DATA_DIR ?? '', 'causeway.db'), 'r+');
    const { size } = await file.stat();
    await file.write(Buffer.alloc(8 * 1024, 0xff), 0, undefined, Math.floor(size * place));
    await file.close();
    expect((await check(id)).at(-1)).toMatchObject({
      state: 'failure',
      advice: expect.stringContaining('restore the last backup'),
    });
  });

  it('fails if another process uses the folder', async () => {
    const lock = await lockFolder(env.DATA_DIR ?? '');
    cleanUps.push(() => lock.release());
    expect(await check('database-use')).toMatchObject([
      { state: 'failure', message: expect.stringContaining(`(process ${process.pid}) uses ${env.DATA_DIR}`) },
    ]);
  });
});

describe.skipIf(noPostgres)(needing(noPostgres, 'PostgreSQL'), () => {
  const nameOfDatabase = () => new URL(env.DATABASE_URL ?? '').pathname.slice(1);

  it('fails if the encoding is not UTF8', async () => {
    await useDatabase('new', "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    expect(await check('database-encoding')).toMatchObject([
      { state: 'failure', message: expect.stringContaining('LATIN1'), advice: expect.stringContaining('UTF8') },
    ]);
  });

  it('passes with the locale C', async () => {
    await useDatabase('new', "ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    expect(await check('database-encoding')).toMatchObject([{ state: 'ok' }]);
  });

  it('warns if the version of its locale has changed', async () => {
    await useDatabase('new', "LOCALE_PROVIDER icu ICU_LOCALE 'und' TEMPLATE template0");
    await change(`UPDATE pg_database SET datcollversion = '1.0' WHERE datname = '${nameOfDatabase()}'`);
    expect(await check('database-collation')).toMatchObject([
      { state: 'warning', message: expect.stringContaining('version 1.0'), advice: expect.stringContaining('REINDEX') },
    ]);
  });

  it('fails if it is read-only', async () => {
    await useDatabase('new');
    await change(`ALTER DATABASE ${nameOfDatabase()} SET default_transaction_read_only = on`);
    expect((await check('database')).at(-1)).toMatchObject({ state: 'failure', message: 'it is read-only' });
  });

  it('fails if the user may not create tables', async () => {
    await useDatabase('new');
    await change('CREATE ROLE causeway_reader LOGIN');
    const owner = env.DATABASE_URL ?? '';
    cleanUps.push(async () => {
      env.DATABASE_URL = owner;
      await change('DROP ROLE causeway_reader');
    });
    env.DATABASE_URL = owner.replace(/\/\/[^@]*@/, '//causeway_reader@');
    expect((await check('database')).at(-1)).toMatchObject({
      state: 'failure',
      message: 'its user may not create tables, which migrations do',
    });
  });

  it('warns if a process needs more connections than are free', async () => {
    await useDatabase('new');
    await change(`ALTER DATABASE ${nameOfDatabase()} CONNECTION LIMIT 8`);
    expect(await check('database-connections')).toMatchObject([
      { state: 'warning', message: expect.stringContaining('a process opens up to 11') },
    ]);
    env.DATABASE_POOL = '4';
    expect(await check('database-connections')).toMatchObject([{ state: 'ok' }]);
  });

  it('fails if a process without Redis uses it', async () => {
    await useDatabase('new');
    const lock = await lockDatabase(env.DATABASE_URL ?? '', systemClock);
    cleanUps.push(() => lock.release());
    expect(await check('database-use')).toMatchObject([{ state: 'failure' }]);
  });

  it.skipIf(noPgbouncer)(needing(noPgbouncer, 'passes behind pgbouncer, but not in statement mode'), async () => {
    await useDatabase('new');
    const direct = env.DATABASE_URL ?? '';
    for (const [mode, state] of [
      ['transaction', 'ok'],
      ['statement', 'failure'],
    ] as const) {
      const pooler = await startPgbouncer(direct, 2, mode);
      cleanUps.push(() => pooler.stop());
      env.DATABASE_URL = pooler.url;
      expect(await check('database-pooler', 'database-connections')).toMatchObject([{ id: 'database-pooler', state }]);
    }
  });

  it('agrees with the clock of this machine', async () => {
    await useDatabase('new');
    expect(await check('clock')).toEqual([{ id: 'clock', state: 'ok', message: 'it agrees with that of PostgreSQL' }]);
  });
});

describe('the settings', () => {
  it('fail each if they are invalid, and nothing that depends on them is checked', async () => {
    const checks = await runChecks('cloud', { environment: { ...env, PORT: 'x', LOG_LEVEL: 'loud' } });
    expect(checks.flatMap(({ state, message }) => (state === 'failure' ? [message.split(' ')[0]] : []))).toEqual([
      'PORT',
      'LOG_LEVEL',
    ]);
    expect(checks.map(({ id }) => id)).not.toContain('database');
  });

  it.each([
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['trust_proxy', 'TRUST_PROXY'],
    ['CAUSEWAY_PUBLIC_URL', 'PUBLIC_URL'],
  ])('warn about the misspelt name %s', (given, meant) => {
    env[given] = 'x';
    expect(doubts()).toEqual([`${given} is not a setting; did you mean ${meant}?`]);
  });

  it('do not warn about a variable of Kubernetes', () => {
    env.CAUSEWAY_PORT = 'tcp://10.0.0.1:4000';
    expect(doubts()).toEqual([]);
  });

  /** A public instance without a doubt. Its host does not exist. */
  const GOOD = {
    PUBLIC_URL: 'https://chat.invalid',
    TRUST_PROXY: 'loopback',
    SMTP_URL: 'smtp://127.0.0.1:1',
    SECRET_KEYS: '2f1c7be0a94d4d3f9e5d8a60b1c3e7f2',
  };

  it('have no doubt for a public instance that is set up well', () => {
    env = { ...env, ...GOOD };
    expect(doubts()).toEqual([]);
  });

  it.each<[Record<string, string>, string]>([
    [{ PUBLIC_URL: 'http://chat.invalid' }, 'PUBLIC_URL begins with http://'],
    [{ PUBLIC_URL: '', HOST: '0.0.0.0' }, 'HOST 0.0.0.0 accepts other machines'],
    [{ GATEWAY_PUBLIC_URL: 'ws://chat.invalid' }, 'GATEWAY_PUBLIC_URL begins with ws://'],
    [{ TRUST_PROXY: '' }, 'TRUST_PROXY is not set'],
    [{ TRUST_PROXY: '1', HOST: '0.0.0.0' }, 'TRUST_PROXY is a number'],
    [{ RATE_LIMITS: 'off' }, 'RATE_LIMITS is off'],
    [{ ALLOW_PRIVATE_ENDPOINTS: 'on' }, 'ALLOW_PRIVATE_ENDPOINTS is on'],
    [{ SMTP_URL: '' }, 'SMTP_URL is not set'],
    [{ LOG_LEVEL: 'silent' }, 'LOG_LEVEL is silent'],
    [{ SECRET_KEYS: 'change-me-change-me-change-me-now' }, 'SECRET_KEYS has a key that can be guessed'],
    [{ SECRET_KEYS: 'a'.repeat(32) }, 'SECRET_KEYS has a key that can be guessed'],
    [{ REDIS_URL: 'redis://127.0.0.1:1', DATABASE_URL: '' }, 'REDIS_URL is set without DATABASE_URL'],
    [{ DATABASE_POOL: '5', DATABASE_URL: '' }, 'DATABASE_POOL has no effect'],
    [{ REDIS_PREFIX: 'mine' }, 'REDIS_PREFIX has no effect'],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'NODE_TLS_REJECT_UNAUTHORIZED is 0'],
  ])('warn about %j', (settings, text) => {
    env = { ...env, ...GOOD, ...settings };
    const found = doubts();
    expect(found).toEqual([expect.stringContaining(text)]);
  });

  it('are printed without passwords, whatever fails', async () => {
    await useDatabase('new');
    env = {
      ...env,
      DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/causeway',
      REDIS_URL: 'redis://:hunter2@127.0.0.1:1',
      SMTP_URL: 'smtp://me:hunter2@127.0.0.1:1',
      SECRET_KEYS: 'hunter2hunter2hunter2hunter2hunter2',
    };
    const checks = await runChecks('cloud', { environment: env });
    expect(checks.filter(({ state }) => state === 'failure').map(({ id }) => id)).toEqual([
      'database',
      'redis',
      'mail',
    ]);
    expect(JSON.stringify(checks)).not.toContain('hunter2');
  });
});

describe('the port', () => {
  beforeEach(() => useDatabase('new'));

  it('fails if another program uses it', async () => {
    const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    cleanUps.push(() => other.close());
    await once(other, 'listening');
    env.PORT = String((other.address() as AddressInfo).port);
    expect(await check('port')).toMatchObject([
      { state: 'failure', message: expect.stringContaining(`port ${env.PORT} is already in use`) },
    ]);
  });

  it('passes if Causeway is running there, and so does its database', async () => {
    const server = await startServer();
    cleanUps.push(() => server.stop());
    const { dataDir, databaseUrl } = server.app.config;
    env = { ...env, PORT: new URL(server.origin).port, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' };
    const checks = await runChecks('cloud', { environment: env });
    expect(checks.filter(({ state }) => state === 'failure')).toEqual([]);
    expect(checks.find(({ id }) => id === 'port')?.message).toBe(`Causeway is running at 127.0.0.1:${env.PORT}`);
  });
});

describe('the cloud of a box', () => {
  beforeEach(() => useDatabase('new'));
  const checkBox = async () => {
    const checks = await runChecks('box', { environment: env });
    return checks.filter(({ id }) => id === 'cloud' || id === 'clock');
  };

  it('passes if it answers', async () => {
    const cloud = await startServer();
    cleanUps.push(() => cloud.stop());
    env.CLOUD_URL = cloud.origin;
    const checks = await checkBox();
    expect(checks[0]).toEqual({ id: 'cloud', state: 'ok', message: `${cloud.origin} answers` });
    expect(checks).toContainEqual({ id: 'clock', state: 'ok', message: 'it agrees with that of the cloud' });
  });

  it('fails if nothing listens', async () => {
    env.CLOUD_URL = 'http://127.0.0.1:1';
    expect((await checkBox())[0]).toMatchObject({ id: 'cloud', state: 'failure' });
  });
});

describe('the data folder', () => {
  beforeEach(() => useDatabase('new'));

  it('fails if it is a file', async () => {
    const file = join(env.DATA_DIR ?? '', 'file');
    await writeFile(file, '');
    env.DATA_DIR = file;
    expect(await check('data-dir')).toMatchObject([
      { state: 'failure', message: `${file} cannot be written: ${file} is not a folder` },
    ]);
  });

  it('warns if others can enter it', async () => {
    await chmod(env.DATA_DIR ?? '', 0o755);
    expect(await check('data-dir')).toMatchObject([{ state: 'warning', advice: `Run chmod 700 ${env.DATA_DIR}.` }]);
  });

  it.skipIf(noSmallDisk)(needing(noSmallDisk, 'fails if its disk is nearly full'), async () => {
    const { folder, remove } = mountSmallDisk();
    cleanUps.push(remove);
    env.DATA_DIR = folder;
    expect(await check('disk')).toMatchObject([{ state: 'failure', message: `12 MiB free for ${folder}` }]);
  });
});

describe('Redis', () => {
  beforeEach(() => useDatabase('migrated'));

  it('fails if it does not answer', async () => {
    env.REDIS_URL = 'redis://127.0.0.1:1';
    expect(await check('redis')).toMatchObject([{ state: 'failure', message: 'no answer from 127.0.0.1:1' }]);
  });

  it.skipIf(noRedis !== null)(
    needing(noRedis, 'passes if it answers, and fails if it refuses the database'),
    async () => {
      env.REDIS_URL = REDIS_URL;
      expect(await check('redis', 'redis-version', 'redis-writes')).toMatchObject([
        { state: 'ok' },
        { state: 'ok' },
        { state: 'ok' },
      ]);
      env.REDIS_URL = `${REDIS_URL}/99999`;
      expect(await check('redis')).toMatchObject([{ state: 'failure', message: expect.stringContaining('refused') }]);
    },
  );
});

describe('the mail server', () => {
  beforeEach(() => useDatabase('new'));
  const send = async (address: string) => {
    const checks = await runChecks('cloud', { environment: env, sendMail: address });
    return checks.filter(({ id }) => id === 'mail');
  };

  it('fails if nothing listens', async () => {
    env.SMTP_URL = 'smtp://127.0.0.1:1';
    expect(await check('mail')).toMatchObject([
      { state: 'failure', message: expect.stringContaining('127.0.0.1:1 cannot be used') },
    ]);
  });

  it('fails if it refuses the login', async () => {
    const sink = await startSmtpSink({ refuseLogins: ['eve'] });
    cleanUps.push(() => sink.close());
    env.SMTP_URL = sink.url.replace('//', '//eve:hunter2@');
    expect(await check('mail')).toMatchObject([
      { state: 'failure', advice: expect.stringContaining('user and password in SMTP_URL') },
    ]);
  });

  it('gets a mail only on request', async () => {
    const sink = await startSmtpSink({ refuse: ['nobody@people.example'] });
    cleanUps.push(() => sink.close());
    env.SMTP_URL = sink.url;
    expect(await check('mail')).toMatchObject([{ state: 'ok' }]);
    expect(sink.count()).toBe(0);
    expect(await send('ada@people.example')).toMatchObject([{ state: 'ok' }]);
    expect((await sink.next()).to).toEqual(['ada@people.example']);
    expect(await send('nobody@people.example')).toMatchObject([
      { state: 'failure', message: expect.stringContaining('nobody here by that name') },
    ]);
  });

  it('fails if a mail was requested and none is set', async () => {
    expect(await check('mail')).toMatchObject([{ state: 'skipped' }]);
    expect(await send('ada@people.example')).toMatchObject([{ state: 'failure', advice: 'Set SMTP_URL.' }]);
  });
});
