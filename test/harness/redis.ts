import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
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

/** The reason why two processes cannot run, or null. */
export async function missingForSeveralProcesses(): Promise<string | null> {
  if (!process.env.TEST_DATABASE_URL)
    return 'needs a PostgreSQL that two processes share; name one with TEST_DATABASE_URL';
  return missingRedis();
}

/** The reason why Redis cannot be used, or null. */
export async function missingRedis(): Promise<string | null> {
  return (await redisAnswers()) ? null : `no Redis answers at ${REDIS_URL}; name another one with TEST_REDIS_URL`;
}

/** One for each database, so that tests that run at the same time do not hear each other. */
export function redisPrefixOf({ DATABASE_URL, DATA_DIR }: Record<string, string>): string {
  return `${basename(DATABASE_URL ? new URL(DATABASE_URL).pathname : (DATA_DIR ?? 'causeway'))}:`;
}

export function layRedisLine(): Promise<Line> {
  return layLine(REDIS_URL, 6379);
}

/** The reason why a test cannot start a Redis of its own, or null. */
export function missingForOwnRedis(): string | null {
  return spawnSync('redis-server', ['--version']).error ? 'needs redis-server in PATH' : null;
}

/** A Redis for one test. It has lost all data after a restart. */
export interface OwnRedis {
  url: string;
  start(...options: string[]): Promise<void>;
  /** Kills it like a crash. May be called when it does not run. */
  stop(): Promise<void>;
}

/** Finds a free port for a Redis. It does not run yet. */
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
