import { setTimeout } from 'node:timers/promises';
import type { Config } from '../../config.js';
import { reasonOf } from '../database/open-fault.js';
import { createLogger } from '../observability/logger.js';

const RETRY_MS = 500;

/**
 * Waits until PostgreSQL and Redis accept connections, for up to `startWaitMs`, and logs that it waits. They may start
 * at the same time as this process. Does not wait for a server that refuses the password: opening it reports that.
 * @param signal ends the wait
 */
export async function awaitStores(
  { databaseUrl, redisUrl, startWaitMs, logLevel }: Config,
  signal: AbortSignal,
): Promise<void> {
  if (startWaitMs === 0) return;
  const log = await createLogger(logLevel);
  const available = async (name: string, faultOf: () => Promise<Error | null>) => {
    const startedAt = performance.now();
    const waitedMs = () => Math.round(performance.now() - startedAt);
    for (let attempt = 1; ; attempt += 1) {
      const fault = await faultOf();
      if (fault === null || !isStarting(fault)) {
        if (attempt > 1 && fault === null) log.info({ waitedMs: waitedMs() }, `${name} is available`);
        return;
      }
      if (signal.aborted || waitedMs() >= startWaitMs) return;
      if (attempt === 1) {
        log.info(
          { reason: reasonOf(fault) },
          `${name} is not available yet; waiting for up to ${startWaitMs / 1000} s`,
        );
      }
      await setTimeout(RETRY_MS, undefined, { signal }).catch(ignore);
    }
  };
  const database = async (url: string) => {
    const { postgresFault } = await import('../database/postgres.js');
    await available('The database of DATABASE_URL', () => postgresFault(url));
  };
  const redis = async (url: string) => {
    const { redisFault } = await import('./redis.js');
    await available('Redis', () => redisFault(url));
  };
  await Promise.all([databaseUrl === null || database(databaseUrl), redisUrl === null || redis(redisUrl)]);
}

/** PostgreSQL's 57P03: the server is starting or stopping. */
const STARTING_CODES = new Set(['57P03', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

function isStarting(fault: Error): boolean {
  return ('code' in fault && STARTING_CODES.has(String(fault.code))) || fault.message.startsWith('LOADING ');
}

function ignore(): void {}
