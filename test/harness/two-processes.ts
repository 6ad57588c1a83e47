import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/infra/clock.js';
import { type Front, openFront } from './front.js';
import { freePort } from './ports.js';
import { type RunningInstance, startInstance } from './process.js';
import { REDIS_URL } from './redis.js';
import { migratedDatabase, startServer, type TestServer } from './server.js';

/** A cloud of two processes with the same PostgreSQL, Redis, data folder and load balancer. */
export interface TwoProcesses {
  front: Front;
  /** A child process. */
  first: RunningInstance;
  /** In this process, so that a test can inspect it. */
  second: TestServer;
  stop(): Promise<void>;
}

export interface TwoProcessesOptions {
  /** The clock of the second process. */
  clock?: Clock;
  redisUrl?: string;
  /** Settings of both. */
  env?: Record<string, string>;
}

/** Starts both. The load balancer forwards to the first. */
export async function startTwoProcesses(options: TwoProcessesOptions = {}): Promise<TwoProcesses> {
  const database = await migratedDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-two-'));
  const front = await openFront();
  const [firstPort, secondPort] = [await freePort(), await freePort()];
  const shared = {
    DATABASE_URL: database?.url ?? '',
    REDIS_URL: options.redisUrl ?? REDIS_URL,
    DATA_DIR: dataDir,
    PUBLIC_URL: front.origin,
    ...options.env,
  };
  const { clock } = options;
  const second = await startServer({ env: { ...shared, PORT: String(secondPort) }, ...(clock && { clock }) });
  const first = await startInstance({ ...shared, PORT: String(firstPort) });
  const originOf = (port: number) => `http://localhost:${port}`;
  front.leadTo(originOf(firstPort));
  return {
    front,
    first: { ...first, origin: originOf(firstPort) },
    second: { ...second, origin: originOf(secondPort) },
    async stop() {
      front.close();
      await Promise.all([first.process.exitCode ?? first.process.signalCode ?? first.end('SIGTERM'), second.stop()]);
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
