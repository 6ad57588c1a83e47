import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { type Line, layLine } from './line.js';
import { freePort } from './ports.js';

export const REDIS_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

async function redisAnswers(): Promise<boolean> {
  const redis = new Redis(REDIS_URL, { lazyConnect: true, retryStrategy: null, connectTimeout: 2_000 });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

/** Why two processes cannot be tried here, or null when they can. */
export async function missingForSeveralProcesses(): Promise<string | null> {
  if (!process.env.TEST_DATABASE_URL)
    return 'needs a PostgreSQL that two processes share; name one with TEST_DATABASE_URL';
  return missingRedis();
}

/** Why nothing can be tried with a Redis here, or null when it can. */
export async function missingRedis(): Promise<string | null> {
  return (await redisAnswers()) ? null : `no Redis answers at ${REDIS_URL}; name another one with TEST_REDIS_URL`;
}

/** A way to Redis that a test can cut or freeze. */
export function layRedisLine(): Promise<Line> {
  return layLine(REDIS_URL, 6379);
}

/** Why no Redis of a test's own can be started here, or null when it can. */
export function missingForOwnRedis(): string | null {
  return spawnSync('redis-server', ['--version']).error ? 'needs redis-server in PATH' : null;
}

/** A Redis for one test, which may stop and start again: then it has forgotten everything. */
export interface OwnRedis {
  url: string;
  start(...options: string[]): Promise<void>;
  /** Ends it at once, as a crash does. Safe to call when it does not run. */
  stop(): Promise<void>;
}

/** Finds a free port for a Redis; it does not run yet. */
export async function prepareRedis(): Promise<OwnRedis> {
  const port = await freePort();
  let running: ChildProcess | undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    async start(...options) {
      const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', ...options];
      const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
      running = child;
      await new Promise<void>((resolve, reject) => {
        child.stdout.on('data', (text) => String(text).includes('Ready to accept connections') && resolve());
        child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
      });
    },
    async stop() {
      if (!running) return;
      const exited = once(running, 'exit');
      running.kill('SIGKILL');
      running = undefined;
      await exited;
    },
  };
}
