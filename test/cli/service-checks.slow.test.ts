import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Check, CheckId } from '../../src/cli/checks/check.js';
import { runChecks } from '../../src/cli/checks/index.js';
import { SELF_SIGNED } from '../harness/certificates.js';
import { CLI, resultOf } from '../harness/cli.js';
import { freePort } from '../harness/ports.js';
import { missingProxy, type RunningProxy, startProxy } from '../harness/proxies.js';
import { missingForOwnRedis, prepareRedis } from '../harness/redis.js';
import { blobUrlAt, type S3Server, startS3 } from '../harness/s3.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing, noSqlite } from '../harness/skipping.js';

// Slow, because it starts Redis, an S3 server, nginx, and processes of the command line.

const noRedis = missingForOwnRedis();
const noNginx = missingProxy('nginx');

let env: Record<string, string>;
let folder: string;
let cleanUps: (() => unknown)[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-services-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  cleanUps = [];
  env = { PORT: '0', DATA_DIR: folder };
});
afterEach(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function check(prefix: string): Promise<Check[]> {
  const checks = await runChecks('cloud', { environment: env });
  return checks.filter(({ id }) => id.startsWith(prefix));
}

async function stateOf(id: CheckId): Promise<Partial<Check> | undefined> {
  return (await check(id)).find((one) => one.id === id);
}

async function listening(server: Server): Promise<number> {
  cleanUps.push(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

describe.skipIf(noRedis)(needing(noRedis, 'Redis'), () => {
  const use = async (...options: string[]) => {
    const redis = await prepareRedis();
    await redis.start(...options);
    cleanUps.push(() => redis.stop());
    env.REDIS_URL = redis.url;
  };

  it('warns if a full Redis would remove events', async () => {
    await use('--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru');
    expect(await stateOf('redis-memory')).toMatchObject({
      state: 'warning',
      advice: expect.stringContaining('noeviction'),
    });
  });

  it('fails if it refuses writes, as a replica does', async () => {
    await use('--replicaof', '127.0.0.1 1');
    expect(await stateOf('redis-writes')).toMatchObject({
      state: 'failure',
      message: expect.stringMatching(/read.?only/i),
    });
  });

  it('fails if it is a cluster', async () => {
    await use('--cluster-enabled', 'yes', '--dir', folder);
    expect(await stateOf('redis-version')).toMatchObject({
      state: 'failure',
      message: expect.stringContaining('cluster'),
    });
  });

  it('fails with a wrong password, which is not printed', async () => {
    await use('--requirepass', 'right');
    env.REDIS_URL = env.REDIS_URL?.replace('//', '//:hunter2@') ?? '';
    const found = await stateOf('redis');
    expect(found).toMatchObject({ state: 'failure', message: expect.stringContaining('refused') });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });
});

describe('the bucket', () => {
  let s3: S3Server;
  beforeAll(async () => {
    s3 = await startS3();
  });
  afterAll(() => s3.remove());

  /** @returns the endpoint of a store whose clock is ahead */
  const ahead = async (ms: number): Promise<string> => {
    const server = createServer((asking, answer) => {
      const { method, url = '', headers } = asking;
      const onward = request(new URL(url, s3.endpoint), { method, headers }, (answered) => {
        const date = new Date(Date.now() + ms).toUTCString();
        answer.writeHead(answered.statusCode ?? 0, { ...answered.headers, date });
        answered.pipe(answer);
      });
      asking.pipe(onward);
    });
    return `http://127.0.0.1:${await listening(server)}`;
  };

  it('passes if an object can be written, read and removed', async () => {
    env.BLOB_URL = s3.blobUrl('doctor');
    expect(await check('bucket')).toMatchObject([{ state: 'ok' }]);
    expect(await check('clock')).toMatchObject([{ state: 'ok', message: 'it agrees with that of the S3 store' }]);
  });

  it('fails if it does not exist', async () => {
    env.BLOB_URL = s3.blobUrl().replace('uploads', 'absent');
    expect(await stateOf('bucket')).toMatchObject({
      state: 'failure',
      advice: expect.stringContaining('Create the bucket'),
    });
  });

  it('fails if nothing listens', async () => {
    env.BLOB_URL = blobUrlAt('http://127.0.0.1:1');
    expect(await stateOf('bucket')).toMatchObject({
      state: 'failure',
      advice: expect.stringContaining('Start the store'),
    });
  });

  it('shows that the clock of this machine is wrong', async () => {
    env.BLOB_URL = blobUrlAt(await ahead(3 * 60_000));
    expect(await check('clock')).toMatchObject([
      { state: 'warning', message: expect.stringMatching(/^the clock of this machine is (3 min|179\.\d s) behind/) },
    ]);
  });
});

describe('PUBLIC_URL', () => {
  it('fails if nothing listens there, although Causeway is running', async () => {
    const server = await startServer();
    cleanUps.push(() => server.stop());
    const { dataDir, databaseUrl } = server.app.config;
    env = { PORT: new URL(server.origin).port, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' };
    env.PUBLIC_URL = 'http://127.0.0.1:1';
    expect(await check('proxy')).toMatchObject([{ state: 'failure', message: expect.stringContaining('no answer') }]);
  });

  it('is skipped if neither a proxy nor Causeway is running', async () => {
    env.PUBLIC_URL = 'http://127.0.0.1:1';
    expect(await check('proxy')).toMatchObject([{ state: 'skipped' }]);
  });

  it('fails if another program answers', async () => {
    const other = createServer((_request, response) => response.end('<h1>It works!</h1>'));
    env.PUBLIC_URL = `http://127.0.0.1:${await listening(other)}`;
    expect(await check('proxy')).toMatchObject([
      { state: 'failure', message: expect.stringContaining('not like Causeway') },
    ]);
  });

  it('fails if its certificate is not trusted', async () => {
    const other = createTlsServer(SELF_SIGNED, (_request, response) => response.end());
    env.PUBLIC_URL = `https://localhost:${await listening(other)}`;
    expect(await check('proxy')).toMatchObject([
      { state: 'failure', message: expect.stringContaining('certificate'), advice: expect.stringContaining('Renew') },
    ]);
  });
});

describe.skipIf(noNginx)(needing(noNginx, 'the proxy nginx'), () => {
  let server: TestServer | undefined;

  const use = async (change?: (example: string) => string, isStarted = true): Promise<RunningProxy> => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const proxy = await startProxy('nginx', { origin }, change);
    cleanUps.push(() => proxy.stop());
    const settings = { PORT: String(port), PUBLIC_URL: proxy.origin, TRUST_PROXY: 'loopback', RATE_LIMITS: 'on' };
    if (isStarted) {
      server = await startServer({ env: settings });
      cleanUps.push(() => server?.stop());
    }
    const { dataDir = folder, databaseUrl = null } = server?.app.config ?? {};
    env = { ...settings, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' };
    return proxy;
  };

  const statesOf = (checks: Check[]) => Object.fromEntries(checks.map(({ id, state }) => [id, state]));

  it('passes if it is configured as the example', async () => {
    await use();
    expect(statesOf(await check('proxy'))).toEqual({
      proxy: 'ok',
      'proxy-websocket': 'ok',
      'proxy-body': 'ok',
      'proxy-address': 'ok',
      'proxy-metrics': 'ok',
    });
  });

  it('fails if it passes neither sockets nor large bodies, believes clients, and shows metrics', async () => {
    await use((example) =>
      example
        .replace('proxy_set_header Upgrade $http_upgrade;', '')
        .replace('client_max_body_size 26m;', '')
        .replace('proxy_set_header X-Forwarded-For $remote_addr;', '')
        .replace('location = /metrics {', 'location = /elsewhere {'),
    );
    expect(statesOf(await check('proxy'))).toEqual({
      proxy: 'ok',
      'proxy-websocket': 'failure',
      'proxy-body': 'failure',
      'proxy-address': 'failure',
      'proxy-metrics': 'warning',
    });
  });

  it('fails if it sends requests to the wrong port, and if PUBLIC_URL is not that of the process', async () => {
    const nowhere = await freePort();
    await use((example) => example.replace('127.0.0.1:4000', `127.0.0.1:${nowhere}`));
    expect(await check('proxy')).toMatchObject([{ state: 'failure', message: expect.stringContaining('answers 503') }]);
    env.PUBLIC_URL = `http://localhost:${env.PORT}`;
    env.PORT = '0';
    expect(await check('proxy')).toMatchObject([
      { state: 'failure', message: expect.stringContaining('leads to an instance whose gateway is') },
    ]);
  });

  it('is skipped if Causeway is not running', async () => {
    server = undefined;
    await use(undefined, false);
    expect(await check('proxy')).toMatchObject([{ state: 'skipped' }]);
  });
});

describe.skipIf(noSqlite)(needing(noSqlite, 'the limits of the process'), () => {
  /** @param user id of the user that runs it */
  const doctorIn = async (shell: string, user?: number): Promise<Check[]> => {
    const child = spawn('/bin/sh', ['-c', `${shell} exec "$0" "$1" doctor --json`, process.execPath, CLI], {
      env: { PATH: process.env.PATH, ...env },
      cwd: '/',
      ...(user !== undefined && { uid: user, gid: user }),
    });
    const { stdout } = await resultOf(child);
    return (JSON.parse(stdout) as { checks: Check[] }).checks;
  };

  it('warn about few open files and a heap beyond the memory', async () => {
    const checks = await doctorIn('ulimit -n 300; export NODE_OPTIONS=--max-old-space-size=99000000;');
    expect(checks.filter(({ id }) => id === 'open-files' || id === 'memory')).toMatchObject([
      { state: 'warning', message: expect.stringContaining('up to 300') },
      { state: 'warning', advice: expect.stringContaining('max-old-space-size') },
    ]);
  });

  const NOBODY = 65_534;
  const notRoot = process.getuid?.() === 0 ? null : 'needs root';

  it.skipIf(notRoot)(needing(notRoot, 'fail if the user may not write the data folder'), async () => {
    await chmod(folder, 0o755);
    const checks = await doctorIn('', NOBODY);
    expect(checks.find(({ id }) => id === 'data-dir')).toMatchObject({
      state: 'failure',
      message: expect.stringContaining('permission denied'),
    });
  });
});
