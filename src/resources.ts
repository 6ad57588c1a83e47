import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, StartError } from './config.js';
import type { AppContext } from './context.js';
import { type BusMessage, decidesAccess, withoutOutdated } from './domain/bus-message.js';
import { DomainError } from './domain/errors.js';
import { type Clock, withTimersOf } from './infra/clock.js';
import { openInstanceKeys } from './infra/crypto/instance-keys.js';
import { type Database, openDatabase, openFault } from './infra/database/index.js';
import { boxSnowflakes, type NextId, NoIdsError, snowflakes } from './infra/ids/ids.js';
import { newestIdMs } from './infra/ids/newest-id.js';
import { createOutbox, createSmtpMailer, type Mailer } from './infra/mail.js';
import { createOutbound } from './infra/network/outbound.js';
import type { Logger } from './infra/observability/logger.js';
import { type Measures, scopeOf } from './infra/observability/metrics.js';
import type { RedisLink } from './infra/processes/redis.js';
import { leaseWorker, type WorkerLease } from './infra/processes/worker-lease.js';
import { createRateLimits, noRateLimits } from './infra/rate-limits.js';
import { type BlobStore, countingReceived, createFileBlobStore } from './infra/storage/blobs.js';
import { watchForLostEvents } from './infra/streams/lost-events.js';
import { createStreams } from './infra/streams/streams.js';

export interface Resources
  extends Pick<AppContext, 'db' | 'keys' | 'bus' | 'blobs' | 'mailer' | 'limits' | 'nextId' | 'outbound' | 'degraded'> {
  /** Null without `REDIS_URL`. */
  redis: RedisLink | null;
  close(): Promise<void>;
}

export type Clocks = Pick<AppContext, 'clock' | 'connectionClock'>;

/**
 * @returns the ID range of a box
 * @throws {StartError}
 */
export type FindIdSpace = (db: Database) => Promise<number>;

/**
 * @param findIdSpace null unless the instance is a box
 * @throws {StartError}
 */
export async function openResources(
  config: Config,
  log: Logger,
  { clock, connectionClock }: Clocks,
  measures: Measures,
  findIdSpace: FindIdSpace | null = null,
): Promise<Resources> {
  const timestamps = withTimersOf(connectionClock, clock);
  makeDataDir(config.dataDir);
  const db = await openMigratedDatabase(config, log, connectionClock, measures);
  const keys = await closingUnless(db, openInstanceKeys(config.secretKeys, db, config.dataDir, log));
  const blobs = await closingUnless(db, openBlobs(config, connectionClock, log, measures));
  const idSpace = findIdSpace && (await closingUnless(db, findIdSpace(db)));
  const lease = await leaseWorkerOf(config, db, timestamps, log);
  const redis = await connectToRedis(config, connectionClock, log, measures).catch(async (error: unknown) => {
    await lease?.release();
    await db.close();
    throw error;
  });
  const bus = createStreams<BusMessage>({
    log,
    redis,
    order: db.dialect === 'sqlite' ? 'byCall' : 'byClock',
    decidesAccess,
    changesOf: ({ changes = [] }) => changes,
    withoutOutdated,
    stateOf: ({ state }) => state,
    onGap: () => measures.streamGaps.inc(),
  });
  const lostEvents = db.dialect === 'postgresql' ? watchForLostEvents(db, bus, connectionClock, log) : null;
  const mailer = createMailer(config, log, timestamps, measures);
  const outbound = createOutbound({ clock: connectionClock, allowPrivate: config.allowPrivateEndpoints });
  if (!config.rateLimits)
    log.warn('Rate limits are off (RATE_LIMITS=off); do not use this setting on a public instance');
  return {
    db,
    bus,
    redis,
    keys,
    blobs,
    mailer,
    outbound,
    limits: config.rateLimits
      ? createRateLimits(redis, (limit) => measures.limitRefusals.inc({ scope: scopeOf(limit) }))
      : noRateLimits,
    nextId: refusingWithoutIds(lease?.nextId ?? (await ownIds(config, db, clock, idSpace))),
    degraded: () => [
      ...(redis?.isAway() ? ['redis' as const] : []),
      ...(lease?.isHeld() === false ? ['snowflake-worker' as const] : []),
      ...(blobs.isAway() ? ['files' as const] : []),
    ],
    async close() {
      outbound.close();
      lostEvents?.stop();
      blobs.close();
      // Releasing the lease needs the database.
      try {
        await Promise.all([mailer.close(), bus.close().then(() => redis?.close()), lease?.release()]);
      } finally {
        await db.close();
      }
    },
  };
}

async function closingUnless<T>(db: Database, finding: Promise<T>): Promise<T> {
  try {
    return await finding;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Continues after the newest stored ID. */
async function ownIds(config: Config, db: Database, clock: Clock, idSpace: number | null): Promise<NextId> {
  const afterMs = await newestIdMs(db.reader);
  return idSpace === null ? snowflakes(clock, config.workerId, afterMs) : boxSnowflakes(clock, idSpace, afterMs);
}

/** Incomplete uploads stay in the data folder, even with S3. */
async function openBlobs(
  { blobs, dataDir }: Config,
  clock: Clock,
  log: Logger,
  { fileBytes }: Measures,
): Promise<BlobStore> {
  const files = countingReceived(createFileBlobStore(join(dataDir, 'blobs')), (bytes) =>
    fileBytes.inc({ direction: 'received' }, bytes),
  );
  if (blobs === null) return files;
  const { openS3BlobStore } = await import('./infra/storage/s3-blobs.js');
  return openS3BlobStore(blobs, files, clock, log);
}

async function connectToRedis(
  { redisUrl, redisPrefix }: Config,
  clock: Clock,
  log: Logger,
  { redisFaults }: Measures,
): Promise<RedisLink | null> {
  if (redisUrl === null) return null;
  const { connectRedis } = await import('./infra/processes/redis.js');
  return connectRedis(redisUrl, clock, log, redisPrefix, (reason) => redisFaults.inc({ reason }));
}

/**
 * Null if the process does not share its database.
 * @throws {StartError}
 */
async function leaseWorkerOf(config: Config, db: Database, clock: Clock, log: Logger): Promise<WorkerLease | null> {
  if (config.redisUrl === null || db.dialect !== 'postgresql') return null;
  try {
    return await leaseWorker(db, clock, log);
  } catch (error) {
    await db.close();
    throw new StartError(`could not lease a snowflake worker: ${error instanceof Error ? error.message : error}`);
  }
}

function refusingWithoutIds(nextId: NextId): NextId {
  return (after) => {
    try {
      return nextId(after);
    } catch (error) {
      if (!(error instanceof NoIdsError)) throw error;
      throw new DomainError('OVERLOADED', 'The service cannot store new data at the moment; try again in a moment.', {
        cause: error,
      });
    }
  };
}

function createMailer(config: Config, log: Logger, clock: Clock, { mails }: Measures): Mailer {
  const onEnd = (outcome: 'sent' | 'failed') => mails.inc({ outcome });
  const sender = { from: config.mailFrom, clock, log, onEnd };
  if (config.smtpUrl !== null) return createSmtpMailer(config.smtpUrl, sender);
  return createOutbox(config.outboxDir, sender);
}

function makeDataDir(path: string): void {
  try {
    makeFolder(path);
    if (!statSync(path).isDirectory()) throw new Error(`${path} is not a folder`);
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new StartError(`DATA_DIR cannot be used: ${error instanceof Error ? error.message : error}`);
  }
}

/** Node's recursive mkdir never returns if the system keeps reporting ENOENT, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another starting process may have created it.
    if (!existsSync(path)) throw error;
  }
}

async function openMigratedDatabase(config: Config, log: Logger, clock: Clock, measures: Measures): Promise<Database> {
  try {
    const { databaseUrl: url, dataDir, databasePool: pool } = config;
    return await openDatabase({ url, dataDir, pool, isAlone: config.redisUrl === null }, log, clock, measures);
  } catch (error) {
    throw openFault(error, config);
  }
}
