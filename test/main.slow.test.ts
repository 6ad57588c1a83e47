import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ThrowAwayDatabase, throwAwayDatabase } from './harness/databases.js';
import { createApplication, signUp } from './harness/people.js';
import { layRedisLine, missingRedis, REDIS_URL } from './harness/redis.js';
import { migratedDatabase } from './harness/server.js';
import { uploadIcon } from './harness/settings.js';
import { needing, noSqlite } from './harness/skipping.js';
import { createTeam, inviteToTeam } from './harness/teams.js';

const missing = await missingRedis();

const MAIN = resolve(import.meta.dirname, '../dist/main.js');

// Most of the time is process starts, so independent ones run concurrently.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folders: string;
/** On PostgreSQL there is one for each process: without Redis, a process needs a database for itself. */
let databases: ThrowAwayDatabase[];
const children: ChildProcess[] = [];

const MOST_PROCESSES = 30;

beforeAll(async () => {
  folders = await mkdtemp(join(tmpdir(), 'causeway-main-'));
  databases = process.env.TEST_DATABASE_URL ? await makeDatabases() : [];
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const database of databases) await database.drop();
  await rm(folders, { recursive: true, force: true });
});

async function makeDatabases(): Promise<ThrowAwayDatabase[]> {
  const made: ThrowAwayDatabase[] = [];
  for (let n = 0; n < MOST_PROCESSES; n += 1) made.push(...[await migratedDatabase()].filter((one) => one !== null));
  return made;
}

function ownDatabase(): Record<string, string> {
  if (databases.length === 0) return {};
  const next = databases[children.length];
  if (!next) throw new Error('there are more processes than databases');
  return { DATABASE_URL: next.url };
}

function newFolder(): string {
  return join(folders, String(children.length));
}

function start(env: Record<string, string>, args: string[] = []): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: newFolder(),
      PORT: '0',
      SHARED_DATA_DIR: 'on',
      ...ownDatabase(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

/** Sends a signal. Resolves to the exit code or to the signal that ended the process. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  child.kill(signal);
  const [code, endedBy] = await exit;
  return endedBy ?? code;
}

async function run(env: Record<string, string>, args?: string[]): Promise<{ code: number | null; complaint: string }> {
  const child = start(env, args);
  let complaint = '';
  child.stderr?.on('data', (text) => {
    complaint += text;
  });
  child.stdout?.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, complaint };
}

function logged(child: ChildProcess, part: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      const line = text
        .split('\n')
        .slice(0, -1)
        .find((one) => one.includes(part));
      if (line) resolve(line);
    });
    child.stdout?.on('end', () => reject(new Error(`the program ended without a word of ${part}`)));
  });
}

async function ready(child: ChildProcess): Promise<string> {
  const { origin } = JSON.parse(await logged(child, 'ready at')) as { origin: string };
  return origin;
}

// The longest tests come first, so that no core idles at the end.
describe.concurrent('the end', () => {
  it('comes with status 0 if Redis was never there, and one line of the log says so', async () => {
    const child = start({ REDIS_URL: 'redis://127.0.0.1:1', START_WAIT_MS: '0' });
    const [away, origin] = await Promise.all([logged(child, 'Redis is not available'), ready(child)]);
    expect(away).toContain('ECONNREFUSED');
    await signUp({ origin }, 'somebody');
    expect(await end(child, 'SIGTERM')).toBe(0);
  });

  it.skipIf(missing)(needing(missing, 'exits with status 0 while Redis is frozen'), async () => {
    const line = await layRedisLine();
    const child = start({ REDIS_URL: line.url });
    await ready(child);
    line.freeze();
    expect(await end(child, 'SIGTERM')).toBe(0);
    line.close();
  });

  it('exits on its own, with one clear line, if the database does not answer during the start', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const reached = once(silent, 'connection');
    const { port } = silent.address() as AddressInfo;
    const child = start({ DATABASE_URL: `postgresql://nobody:secret@127.0.0.1:${port}/none` });
    let complaint = '';
    child.stderr?.on('data', (text) => {
      complaint += text;
    });
    await reached;
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(complaint).toMatch(/^causeway: could not open the database of DATABASE_URL: [^\n]+\n$/);
    expect(complaint).toContain(`(database "none" at 127.0.0.1:${port} as "nobody")`);
    expect(complaint).not.toContain('secret');
    silent.close();
  });

  /** A request that keeps the instance from ending until its body is sent. */
  async function openRequest(origin: string): Promise<Socket> {
    const request = connect(Number(new URL(origin).port), 'localhost');
    request.on('error', () => {});
    request.write('POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n');
    request.write('Content-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    await once(request, 'data');
    return request;
  }

  it('is orderly even if one keystroke sends its signal twice', async () => {
    const child = start({});
    const request = await openRequest(await ready(child));
    const stopping = logged(child, 'stopping');
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    await stopping;
    child.kill('SIGINT');
    const answeredAt = performance.now();
    request.write('{}');
    expect(await exit).toEqual([0, null]);
    // A kept-alive connection would be closed after 8 s.
    expect(performance.now() - answeredAt).toBeLessThan(7_000);
  });

  it('comes at once after a second signal of either kind', async () => {
    const child = start({});
    const request = await openRequest(await ready(child));
    const exit = once(child, 'exit');
    const startedAt = performance.now();
    child.kill('SIGTERM');
    const again = setInterval(() => child.kill('SIGINT'), 50);
    expect(await exit).toEqual([null, 'SIGINT']);
    clearInterval(again);
    expect(performance.now() - startedAt).toBeLessThan(7_000);
    request.destroy();
  });
});

describe.concurrent('npm passes a signal on', () => {
  it.each([
    ['start', 'SIGTERM'],
    ['start', 'SIGINT'],
  ] as const)('of `npm %s`: after %s it has drained and ended, and its port is free', async (script, signal) => {
    const child = spawn('npm', ['run', script, '--silent'], {
      cwd: resolve(import.meta.dirname, '..'),
      env: {
        PATH: process.env.PATH,
        DATA_DIR: newFolder(),
        PORT: '0',
        ...ownDatabase(),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const origin = await ready(child);
    const stopped = logged(child, '"stopped"');
    expect(await end(child, signal)).toBe(0);
    await stopped;
    const successor = createServer().listen(Number(new URL(origin).port), '127.0.0.1');
    await once(successor, 'listening');
    successor.close();
  });
});

describe.skipIf(noSqlite).concurrent(needing(noSqlite, 'the folder of an instance on SQLite'), () => {
  const onSqlite = { DATABASE_URL: '' };

  it('is refused to another start in one clear line, and is free again however the first ends', async () => {
    const env = { ...onSqlite, DATA_DIR: newFolder() };
    const first = start(env);
    const origin = await ready(first);
    const { code, complaint } = await run(env);
    expect(code).toBe(1);
    expect(complaint).toBe(
      `causeway: DATA_DIR ${env.DATA_DIR} is in use by another Causeway process (process ${first.pid}); stop it or set another DATA_DIR. To run several processes, use PostgreSQL and Redis (docs/operations.md, "Several processes")\n`,
    );
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect(await end(first, 'SIGKILL')).toBe('SIGKILL');
    for (const _again of [1, 2]) {
      const child = start(env);
      await ready(child);
      expect(await end(child, 'SIGTERM')).toBe(0);
    }
  });

  it('is given to one of two processes that start at the same time', async () => {
    const env = { ...onSqlite, DATA_DIR: newFolder() };
    const both = [start(env), start(env)];
    const exits = both.map((child) => once(child, 'exit') as Promise<[number | null]>);
    const outcomes = await Promise.allSettled(both.map(ready));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const child of both) child.kill('SIGTERM');
    expect((await Promise.all(exits)).map(([code]) => code).sort()).toEqual([0, 1]);
  });
});

describe.concurrent('a failed start ends with status 1 and one clear line', () => {
  it('for all invalid variables together', async () => {
    const { code, complaint } = await run({ PORT: 'http', RATE_LIMITS: 'maybe', DATABASE_URL: 'mysql://x' });
    expect(code).toBe(1);
    expect(complaint).toBe(
      [
        'causeway: invalid configuration:',
        '  PORT must be a whole number from 0 to 65535',
        '  DATABASE_URL must be a full URL that begins with postgresql:// or postgres://',
        '  RATE_LIMITS must be on or off',
        '',
      ].join('\n'),
    );
  });

  it('for a URL with a password, which is not repeated', async () => {
    const { code, complaint } = await run({ PUBLIC_URL: 'http://me:secret@chat.example' });
    expect(code).toBe(1);
    expect(complaint).toMatch(/^causeway: invalid configuration:\n {2}PUBLIC_URL must be an origin[^\n]*\n$/);
    expect(complaint).not.toContain('secret');
  });

  it('for an argument', async () => {
    const { code, complaint } = await run({}, ['--port=1']);
    expect(code).toBe(1);
    expect(complaint).toContain('unknown argument --port=1: settings are environment variables');
  });

  it('for a busy port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const { code, complaint } = await run({ PORT: port });
    other.close();
    expect(code).toBe(1);
    expect(complaint).toBe(
      `causeway: port ${port} is already in use; stop the program that uses it, or set PORT to another port (0 picks a free one)\n`,
    );
  });

  it.each([
    [
      'a database that does not answer',
      { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none', START_WAIT_MS: '0' },
      'could not open the database of DATABASE_URL',
    ],
    ['a data folder that cannot be made', { DATA_DIR: '/proc/causeway' }, 'DATA_DIR cannot be used'],
    ['a data folder that is a file', { DATA_DIR: MAIN }, 'DATA_DIR cannot be used'],
    [
      'a host this machine does not have',
      { HOST: '203.0.113.7' },
      'this machine does not have the address 203.0.113.7',
    ],
  ])('for %s', async (_name, env, text) => {
    const { code, complaint } = await run(env);
    expect(code).toBe(1);
    expect(complaint).toContain(text);
    expect(complaint.trim().split('\n')).toHaveLength(1);
  });
});

const alone = process.env.TEST_DATABASE_URL ? missing : null;

describe.skipIf(alone)(needing(alone, 'a running instance'), () => {
  let database: Awaited<ReturnType<typeof throwAwayDatabase>>;
  let instances: ChildProcess[];
  let origins: string[];
  let origin: string;
  let dataDir: string;

  beforeAll(async () => {
    database = await throwAwayDatabase();
    const onNewDatabase: Record<string, string> = database ? { DATABASE_URL: database.url, REDIS_URL } : {};
    dataDir = newFolder();
    instances = [start({ ...onNewDatabase, DATA_DIR: dataDir }), start(onNewDatabase)];
    origins = await Promise.all(instances.map(ready));
    [origin = ''] = origins;
  });
  afterAll(() => database?.drop());

  it('may start next to another from one checkout, on a new database', async () => {
    expect(new Set(origins).size).toBe(2);
  });

  it('logs its origin and answers /healthz', async () => {
    const health = await fetch(`${origin}/healthz`);
    expect(health.status).toBe(200);
    expect(await health.json()).toEqual({ status: 'ok' });
  });

  it('logs its listening address if its public URL differs, misspelt settings, and a missing mail server', async () => {
    const child = start({ PUBLIC_URL: 'https://chat.example', LOG_LEVL: 'debug', SMTP_URL: 'smtp://127.0.0.1:1' });
    const warned = [
      logged(child, 'LOG_LEVL is not a setting; did you mean LOG_LEVEL?'),
      logged(child, 'The mail server of SMTP_URL is not available'),
    ];
    const line = await logged(child, 'ready at');
    expect(line).toMatch(/ready at https:\/\/chat\.example \(listening at http:\/\/127\.0\.0\.1:\d+\)/);
    await Promise.all(warned);
    expect(await end(child, 'SIGTERM')).toBe(0);
  });

  it('redirects to the portal, and has metrics in Prometheus text', async () => {
    const page = await fetch(origin);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.url).toBe(`${origin}/portal`);
    expect(await page.text()).toContain('/portal/assets/');
    await fetch(`${origin}/api/v10/gateway`);
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).toMatch(/causeway_request_seconds_count\{.*route="GET \/gateway".*\} 1/);
  });

  it('keeps its data readable by the owner of the process only', async () => {
    const server = { origin };
    const owner = await signUp(server, 'owner');
    await inviteToTeam(owner, await createTeam(owner), await signUp(server, 'invited'));
    const icon = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    await uploadIcon(server, owner, (await createApplication(owner)).id, new Uint8Array(icon));
    const paths = ['', ...(await readdir(dataDir, { recursive: true }))];
    const kinds = database
      ? ['outbox', 'blobs']
      : ['outbox', 'blobs', 'causeway.db', 'causeway.db-wal', 'causeway.db-shm'];
    expect(paths).toEqual(expect.arrayContaining(kinds));
    for (const path of paths) {
      const { mode } = await stat(join(dataDir, path));
      expect([path, mode & 0o077]).toEqual([path, 0]);
    }
  });

  it.each([
    [0, 'SIGTERM'],
    [1, 'SIGINT'],
  ] as const)('ends with status 0, instance %i on %s, even if its output is closed', async (index, signal) => {
    const child = instances[index]!;
    child.stdout?.destroy();
    expect(await end(child, signal)).toBe(0);
  });
});
