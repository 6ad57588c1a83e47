import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { throwAwayDatabase } from './harness/server.js';

const MAIN = resolve(import.meta.dirname, '../dist/main.js');

let dataDir: string;
let database: Awaited<ReturnType<typeof throwAwayDatabase>>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'causeway-main-'));
  database = await throwAwayDatabase();
});
afterAll(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

function start(env: Record<string, string>, args: string[] = []): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      ...(database ? { DATABASE_URL: database.url } : {}),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs the program to its end. */
async function run(env: Record<string, string>, args?: string[]): Promise<{ code: number | null; complaint: string }> {
  const child = start(env, args);
  let complaint = '';
  child.stderr?.on('data', (text) => {
    complaint += text;
  });
  child.stdout?.resume();
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, complaint };
}

/** The next line of the log that has this in it. */
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

/** Resolves with the origin of the ready line. */
async function ready(child: ChildProcess): Promise<string> {
  const { origin } = JSON.parse(await logged(child, 'ready at')) as { origin: string };
  return origin;
}

describe('a start that cannot be ends with status 1 and one clear line', () => {
  it('for every variable that cannot be used, together', async () => {
    const { code, complaint } = await run({ PORT: 'http', RATE_LIMITS: 'maybe', DATABASE_URL: 'mysql://x' });
    expect(code).toBe(1);
    expect(complaint).toBe(
      [
        'causeway: the configuration cannot be used:',
        '  PORT must be a whole number from 0 to 65535',
        '  DATABASE_URL must be a full URL that begins with postgresql:// or postgres://',
        '  RATE_LIMITS must be on or off',
        '',
      ].join('\n'),
    );
  });

  it('for an address that carries a password, which is not repeated', async () => {
    const { code, complaint } = await run({ PUBLIC_URL: 'http://me:secret@chat.example' });
    expect(code).toBe(1);
    expect(complaint).toMatch(
      /^causeway: the configuration cannot be used:\n {2}PUBLIC_URL must be an origin[^\n]*\n$/,
    );
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
      `causeway: port ${port} is already in use; stop what listens there, or set PORT to another (0 picks one)\n`,
    );
  });

  it.each([
    [
      'a database that does not answer',
      { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' },
      'DATABASE_URL cannot be opened',
    ],
    ['a Redis that does not answer', { REDIS_URL: 'redis://127.0.0.1:1' }, 'the Redis of REDIS_URL does not answer'],
    ['a data folder that cannot be made', { DATA_DIR: '/proc/causeway' }, 'the folder of DATA_DIR cannot be used'],
    ['a data folder that is a file', { DATA_DIR: MAIN }, 'the folder of DATA_DIR cannot be used'],
    ['a host this machine does not have', { HOST: '203.0.113.7' }, 'this machine has no address 203.0.113.7'],
  ])('for %s', async (_name, env, text) => {
    const { code, complaint } = await run(env);
    expect(code).toBe(1);
    expect(complaint).toContain(text);
    expect(complaint.trim().split('\n')).toHaveLength(1);
  });
});

describe('a running instance', () => {
  it('says where it is, answers /healthz, and ends with status 0 on SIGTERM', async () => {
    const child = start({});
    const origin = await ready(child);
    const health = await fetch(`${origin}/healthz`);
    expect(health.status).toBe(200);
    expect(await health.json()).toEqual({ status: 'ok' });
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('starts twice at once from one checkout, on a new database each time it is the first', async () => {
    const other = await mkdtemp(join(tmpdir(), 'causeway-main-'));
    const children = [start({ DATA_DIR: other }), start({})];
    const origins = await Promise.all(children.map(ready));
    expect(new Set(origins).size).toBe(2);
    for (const child of children) {
      const exit = once(child, 'exit');
      child.kill('SIGINT');
      expect(await exit).toEqual([0, null]);
    }
    await rm(other, { recursive: true, force: true });
  });
});

describe('the folder of an instance on SQLite', () => {
  const onSqlite = { DATABASE_URL: '' };
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-folder-'));
    return () => rm(folder, { recursive: true, force: true });
  });

  it('is refused to another start in one clear line, and is free again however the first ends', async () => {
    const env = { ...onSqlite, DATA_DIR: folder };
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const first = start(env);
      const origin = await ready(first);
      const startedAt = performance.now();
      const { code, complaint } = await run(env);
      expect(code).toBe(1);
      expect(complaint).toBe(
        `causeway: DATA_DIR ${folder} is in use by another Causeway (process ${first.pid}); stop that one, name another folder, or set DATABASE_URL and REDIS_URL, with which several processes may share it\n`,
      );
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect((await fetch(`${origin}/healthz`)).status).toBe(200);
      const exit = once(first, 'exit');
      first.kill(signal);
      await exit;
    }
  });

  it('goes to one of several that start over it at the same time', async () => {
    const children = Array.from({ length: 3 }, () => start({ ...onSqlite, DATA_DIR: folder }));
    const exits = children.map((child) => once(child, 'exit') as Promise<[number | null]>);
    const outcomes = await Promise.allSettled(children.map(ready));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const child of children) child.kill('SIGTERM');
    expect((await Promise.all(exits)).map(([code]) => code).sort()).toEqual([0, 1, 1]);
  });
});

describe('the end', () => {
  /** Resolves when an instance is ready, whose output nobody reads any more. */
  async function startUnheard(env: Record<string, string> = {}): Promise<ChildProcess> {
    const child = start(env);
    await ready(child);
    child.stdout?.destroy();
    return child;
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('comes with %s when nobody reads the output any more', async (signal) => {
    const child = await startUnheard();
    const exit = once(child, 'exit');
    child.kill(signal);
    expect(await exit).toEqual([0, null]);
  });

  /** A request that keeps the instance from ending, until its body is sent. */
  async function openRequest(origin: string): Promise<Socket> {
    const request = connect(Number(new URL(origin).port), 'localhost');
    request.on('error', () => {});
    request.write('POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n');
    request.write('Content-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    await once(request, 'data');
    return request;
  }

  it('is orderly, though one keystroke may send its signal twice', async () => {
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
    // The connection could be kept for another request, and is not.
    expect(performance.now() - answeredAt).toBeLessThan(4_000);
  });

  it('is at once with a later signal, of either kind', async () => {
    const child = start({});
    const request = await openRequest(await ready(child));
    const exit = once(child, 'exit');
    const startedAt = performance.now();
    child.kill('SIGTERM');
    const again = setInterval(() => child.kill('SIGINT'), 50);
    expect(await exit).toEqual([null, 'SIGINT']);
    clearInterval(again);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    request.destroy();
  });

  it('comes within 10 s even where the start waits for a database that says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const reached = once(silent, 'connection');
    const { port } = silent.address() as AddressInfo;
    const child = start({ DATABASE_URL: `postgresql://nobody@127.0.0.1:${port}/none` });
    let complaint = '';
    child.stderr?.on('data', (text) => {
      complaint += text;
    });
    await reached;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([1, null]);
    expect(complaint).toBe('causeway: not everything ended within 10 s of SIGTERM\n');
    silent.close();
  });
});

describe('the front page and the metrics', () => {
  it('name the addresses, and count in Prometheus text', async () => {
    const child = start({});
    const origin = await ready(child);
    const page = await fetch(origin);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain(`${origin}/graphql`);
    await fetch(`${origin}/api/v10/gateway`);
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).toMatch(/causeway_request_seconds_count\{.*route="GET \/gateway".*\} 1/);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  });
});
