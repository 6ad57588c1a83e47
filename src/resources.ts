import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, StartError } from './config.js';
import type { AppContext } from './context.js';
import type { BusMessage } from './domain/bus-message.js';
import { DomainError } from './domain/errors.js';
import { createFileBlobStore } from './infra/blobs.js';
import { createLocalBus, createRedisBus } from './infra/bus.js';
import type { Clock } from './infra/clock.js';
import { type Database, openDatabase } from './infra/database/index.js';
import { boxSnowflakes, type NextId, NoIdsError, snowflakes } from './infra/ids.js';
import type { Logger } from './infra/logger.js';
import { createOutbox, createSmtpMailer, type Mailer } from './infra/mail.js';
import { newestIdMs } from './infra/newest-id.js';
import { createOutbound } from './infra/outbound.js';
import { createRateLimits, noRateLimits } from './infra/rate-limits.js';
import type { RedisLink } from './infra/redis.js';
import { leaseWorker, type WorkerLease } from './infra/worker-lease.js';

/** What the process opens, and closes in the end. */
export interface Resources
  extends Pick<AppContext, 'db' | 'bus' | 'blobs' | 'mailer' | 'limits' | 'nextId' | 'outbound' | 'degraded'> {
  /** The Redis of `REDIS_URL`, or null where none is named. */
  redis: RedisLink | null;
  close(): Promise<void>;
}

/** Which ids a box makes, once its database is there. @throws {StartError} */
export type FindIdSpace = (db: Database) => Promise<number>;

/**
 * Opens everything outside the process that the configuration names.
 * @param findIdSpace for a box; null for an instance that is none
 * @throws {StartError}
 */
export async function openResources(
  config: Config,
  log: Logger,
  clock: Clock,
  findIdSpace: FindIdSpace | null = null,
): Promise<Resources> {
  makeDataDir(config.dataDir);
  const db = await openMigratedDatabase(config, log, clock);
  const idSpace = await idSpaceFor(db, findIdSpace);
  const lease = await leaseWorkerOf(config, db, clock, log);
  const redis = await connectToRedis(config, clock, log);
  const bus = redis === null ? createLocalBus<BusMessage>(log) : createRedisBus<BusMessage>(redis, log);
  const mailer = createMailer(config, log, clock);
  const outbound = createOutbound({ clock, allowPrivate: config.allowPrivateEndpoints });
  if (!config.rateLimits) log.warn('rate limits are off (RATE_LIMITS=off); do not run a public instance like this');
  return {
    db,
    bus,
    redis,
    blobs: createFileBlobStore(join(config.dataDir, 'blobs')),
    mailer,
    outbound,
    limits: config.rateLimits ? createRateLimits(redis) : noRateLimits,
    nextId: refusingWithoutIds(lease?.nextId ?? (await ownIds(config, db, clock, idSpace))),
    degraded: () => [...(redis?.isAway() ? ['redis'] : []), ...(lease?.isHeld() === false ? ['snowflake-worker'] : [])],
    async close() {
      outbound.close();
      // Each side by side, so that none takes the time of the others; the lease is given up in the database.
      try {
        await Promise.all([mailer.close(), bus.close().then(() => redis?.close()), lease?.release()]);
      } finally {
        await db.close();
      }
    },
  };
}

async function idSpaceFor(db: Database, find: FindIdSpace | null): Promise<number | null> {
  try {
    return find && (await find(db));
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Of a process alone, after those that it has made before. */
async function ownIds(config: Config, db: Database, clock: Clock, idSpace: number | null): Promise<NextId> {
  const afterMs = await newestIdMs(db.reader);
  return idSpace === null ? snowflakes(clock, config.workerId, afterMs) : boxSnowflakes(clock, idSpace, afterMs);
}

async function connectToRedis({ redisUrl }: Config, clock: Clock, log: Logger): Promise<RedisLink | null> {
  if (redisUrl === null) return null;
  const { connectRedis } = await import('./infra/redis.js');
  return connectRedis(redisUrl, clock, log);
}

/** Processes that share a PostgreSQL lease their workers from it; null for a process alone. @throws {StartError} */
async function leaseWorkerOf(config: Config, db: Database, clock: Clock, log: Logger): Promise<WorkerLease | null> {
  if (config.redisUrl === null || db.dialect !== 'postgresql') return null;
  try {
    return await leaseWorker(db, clock, log);
  } catch (error) {
    await db.close();
    throw new StartError(`no snowflake worker can be leased: ${error instanceof Error ? error.message : error}`);
  }
}

/** What needs an id is answered as overload while none can be made. */
function refusingWithoutIds(nextId: NextId): NextId {
  return () => {
    try {
      return nextId();
    } catch (error) {
      if (!(error instanceof NoIdsError)) throw error;
      throw new DomainError('OVERLOADED', 'The service cannot store anything new now; try again in a moment.', {
        cause: error,
      });
    }
  };
}

function createMailer(config: Config, log: Logger, clock: Clock): Mailer {
  const sender = { from: config.mailFrom, clock, log };
  if (config.smtpUrl !== null) return createSmtpMailer(config.smtpUrl, sender);
  return createOutbox(join(config.dataDir, 'outbox'), sender);
}

function makeDataDir(path: string): void {
  try {
    makeFolder(path);
    if (!statSync(path).isDirectory()) throw new Error(`${path} is not a folder`);
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new StartError(`the folder of DATA_DIR cannot be used: ${error instanceof Error ? error.message : error}`);
  }
}

/** One folder after the other: Node's own recursion never ends where the system answers ENOENT for ever, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process that starts at the same time may have made it.
    if (!existsSync(path)) throw error;
  }
}

async function openMigratedDatabase(config: Config, log: Logger, clock: Clock): Promise<Database> {
  try {
    const { databaseUrl: url, dataDir, databasePool: pool } = config;
    return await openDatabase({ url, dataDir, pool }, log, clock);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const where = config.databaseUrl === null ? `the database in ${config.dataDir}` : 'the database of DATABASE_URL';
    const reason = error instanceof Error ? error.message.trim().split('\n', 1)[0] : String(error);
    throw new StartError(`${where} cannot be opened: ${reason}`, { cause: error });
  }
}
