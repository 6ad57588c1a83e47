import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ThrowAwayDatabase } from './harness/databases.js';
import { type Line, layLine } from './harness/line.js';
import { freePort } from './harness/ports.js';
import { missingForOwnRedis, type OwnRedis, prepareRedis } from './harness/redis.js';
import { migratedDatabase } from './harness/server.js';
import { needing, noSqlite } from './harness/skipping.js';

// Slow: each test starts a process, which needs a second or two on its own.

const MAIN = resolve(import.meta.dirname, '../dist/main.js');

interface Starting {
  process: ChildProcess;
  /** The next line of the log that contains `text`. */
  line(text: string): Promise<Record<string, unknown>>;
  /** The exit code, and what it wrote to stderr. */
  ended: Promise<{ code: number | null; complaint: string }>;
}

let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-wait-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

function start(env: Record<string, string>): Starting {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', SHARED_DATA_DIR: 'on', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    async line(text) {
      for (;;) {
        const { done, value } = await lines.next();
        if (done) throw new Error(`the process ended before it logged ${text}: ${complaint}`);
        if (value.includes(text)) return JSON.parse(value) as Record<string, unknown>;
      }
    },
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, complaint })),
  };
}

// These use SQLite, whose driver fits one version of Node.js.
const missing = noSqlite ?? missingForOwnRedis();

describe.skipIf(missing)(needing(missing, 'a start with Redis'), () => {
  let redis: OwnRedis;
  beforeEach(async () => {
    redis = await prepareRedis();
  });
  afterEach(() => redis.stop());

  it('waits until Redis accepts connections, and logs both', async () => {
    const starting = start({ REDIS_URL: redis.url });
    expect(await starting.line('waiting')).toMatchObject({
      level: 30,
      msg: 'Redis is not available yet; waiting for up to 60 s',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    await redis.start();
    await starting.line('Redis is available');
    await starting.line('ready at');
  });

  it('continues without Redis after START_WAIT_MS', async () => {
    const starting = start({ REDIS_URL: redis.url, START_WAIT_MS: '300' });
    await starting.line('waiting for up to 0.3 s');
    await starting.line('Redis is not available; until it is');
    await starting.line('ready at');
  });

  it('does not wait for Redis if it refuses the password', async () => {
    await redis.start('--requirepass', 'opensesame');
    const { code, complaint } = await start({ REDIS_URL: redis.url.replace('//', '//:wrong@') }).ended;
    expect(code).toBe(1);
    expect(complaint).toContain('refused this process: WRONGPASS');
  });

  it('ends with status 0 on a signal while it waits', async () => {
    const starting = start({ REDIS_URL: redis.url });
    await starting.line('waiting');
    starting.process.kill('SIGTERM');
    expect(await starting.ended).toEqual({ code: 0, complaint: '' });
  });
});

describe('a start with PostgreSQL', () => {
  it('gives up after START_WAIT_MS with the reason', async () => {
    const starting = start({ DATABASE_URL: 'postgresql://nobody:secret@localhost:1/none', START_WAIT_MS: '300' });
    expect(await starting.line('waiting')).toMatchObject({
      msg: 'The database of DATABASE_URL is not available yet; waiting for up to 0.3 s',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    const { code, complaint } = await starting.ended;
    expect(code).toBe(1);
    expect(complaint).toContain('could not open the database of DATABASE_URL: connect ECONNREFUSED');
    expect(complaint).not.toContain('secret');
  });

  it('waits for a host name that does not exist yet', async () => {
    const starting = start({ DATABASE_URL: 'postgresql://nobody@database.invalid/none', START_WAIT_MS: '300' });
    const { reason } = await starting.line('waiting');
    expect(reason).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect((await starting.ended).code).toBe(1);
  });

  it('waits for a server that is starting', async () => {
    const server = await startingPostgres();
    const starting = start({ DATABASE_URL: `postgresql://nobody@127.0.0.1:${server.port}/none` });
    expect(await starting.line('waiting')).toMatchObject({ reason: 'the database system is starting up' });
    starting.process.kill('SIGTERM');
    expect((await starting.ended).code).toBe(0);
    server.close();
  });
});

const noPostgres = process.env.TEST_DATABASE_URL ? null : 'needs TEST_DATABASE_URL';

describe.skipIf(noPostgres)(needing(noPostgres, 'a start on a real PostgreSQL'), () => {
  let database: ThrowAwayDatabase | null;
  let line: Line | undefined;
  beforeEach(async () => {
    database = await migratedDatabase();
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    line?.close();
    await database?.drop();
  });

  it('waits until it accepts connections', async () => {
    const url = new URL(database?.url ?? '');
    const port = await freePort();
    const real = url.href;
    url.port = String(port);
    const starting = start({ DATABASE_URL: url.href });
    await starting.line('waiting');
    line = await layLine(real, 5432, port);
    await starting.line('The database of DATABASE_URL is available');
    await starting.line('ready at');
  });

  it('does not wait if the server refuses the database', async () => {
    const url = new URL(database?.url ?? '');
    url.pathname = '/causeway_none';
    const { code, complaint } = await start({ DATABASE_URL: url.href }).ended;
    expect(code).toBe(1);
    expect(complaint).toContain('database "causeway_none" does not exist');
  });
});

/** Answers every connection as PostgreSQL does while it recovers from a crash (its documentation, chapter 55). */
async function startingPostgres(): Promise<{ port: number; close: () => Server }> {
  const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up', ''];
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(body.length + 4, 1);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([head, body])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() };
}
