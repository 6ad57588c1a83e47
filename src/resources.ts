import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { type Config, StartError } from './config.js';
import type { AppContext } from './context.js';
import { createFileBlobStore, removeAbandonedBlobs } from './infra/blobs.js';
import { createLocalBus, createRedisBus } from './infra/bus.js';
import type { Clock } from './infra/clock.js';
import { type Database, openDatabase } from './infra/database/index.js';
import { snowflakes } from './infra/ids.js';
import type { Logger } from './infra/logger.js';
import { createOutbox, createSmtpMailer, type Mailer } from './infra/mail.js';
import { createRateLimits, noRateLimits } from './infra/rate-limits.js';
import { leaseWorker, type WorkerLease } from './infra/worker-lease.js';

/** What the process opens, and closes in the end. */
export interface Resources extends Pick<AppContext, 'db' | 'bus' | 'blobs' | 'mailer' | 'limits' | 'nextId'> {
  close(): Promise<void>;
}

/** Opens everything outside the process that the configuration names. @throws {StartError} */
export async function openResources(config: Config, log: Logger, clock: Clock): Promise<Resources> {
  makeDataDir(config.dataDir);
  const redis = config.redisUrl === null ? null : await openRedis(config.redisUrl, log);
  const db = await openMigratedDatabase(config);
  const blobFolder = join(config.dataDir, 'blobs');
  await removeAbandonedBlobs(blobFolder, clock.now());
  const lease = redis && (await leaseWorker(redis, clock, () => stopBecauseLeaseIsLost(log)));
  const bus = config.redisUrl === null ? createLocalBus(log) : createRedisBus(config.redisUrl, log);
  const mailer = createMailer(config, log, clock);
  if (!config.rateLimits) log.warn('rate limits are off (RATE_LIMITS=off); do not run a public instance like this');
  return {
    db,
    bus,
    blobs: createFileBlobStore(blobFolder),
    mailer,
    limits: config.rateLimits ? createRateLimits(redis) : noRateLimits,
    nextId: snowflakes(clock, lease?.worker ?? config.workerId),
    async close() {
      await mailer.close();
      await closeAll(bus, db, redis, lease);
    },
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

async function closeAll(
  bus: AppContext['bus'],
  db: Database,
  redis: Redis | null,
  lease: WorkerLease | null,
): Promise<void> {
  await bus.close();
  await lease?.release();
  redis?.disconnect();
  await db.close();
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

async function openMigratedDatabase(config: Config): Promise<Database> {
  try {
    return await openDatabase(config.databaseUrl ?? undefined, config.dataDir);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const where = config.databaseUrl === null ? `the database in ${config.dataDir}` : 'the database of DATABASE_URL';
    const reason = error instanceof Error ? error.message.trim().split('\n', 1)[0] : String(error);
    throw new StartError(`${where} cannot be opened: ${reason}`, { cause: error });
  }
}

async function openRedis(url: string, log: Logger): Promise<Redis> {
  const redis = new Redis(url, { lazyConnect: true });
  const firstFault = new Promise<Error>((resolve) => redis.once('error', resolve));
  try {
    await redis.connect();
  } catch {
    redis.disconnect();
    throw new StartError(`the Redis of REDIS_URL does not answer: ${(await firstFault).message}`);
  }
  redis.on('error', (error) => log.error({ err: error }, 'the Redis connection has a fault'));
  return redis;
}

/** Two processes with one worker would make equal ids: better none. */
function stopBecauseLeaseIsLost(log: Logger): void {
  log.fatal('the snowflake worker could not be kept in Redis; stopping, so that no id is made twice');
  process.kill(process.pid, 'SIGTERM');
}
