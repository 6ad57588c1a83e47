import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { inject } from 'vitest';
import { type Config, readConfig } from '../../src/config.js';
import { jobKinds } from '../../src/domain/jobs.js';
import { createServer, type Overrides, type Server } from '../../src/server.js';
import { placeOfBlobs } from './blobs-on-s3.js';
import { copyOf, type ThrowAwayDatabase } from './databases.js';
import { redisPrefixOf } from './redis.js';

export interface TestServer extends Server {
  /** The origin, such as `http://localhost:40123`. */
  origin: string;
}

export interface TestOptions extends Overrides {
  env?: Record<string, string>;
}

/** A new database with all migrations, or null if the suite runs on SQLite. */
export async function migratedDatabase(): Promise<ThrowAwayDatabase | null> {
  const template = inject('template');
  return 'database' in template ? copyOf(template.database) : null;
}

/** A new data folder. If the suite runs on SQLite, it has a database with all migrations. */
export async function migratedFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-test-'));
  const template = inject('template');
  if ('file' in template) await copyFile(template.file, join(folder, 'causeway.db'));
  return folder;
}

/**
 * Starts the real server on a free port with a temporary data folder. If `TEST_DATABASE_URL` names a PostgreSQL server,
 * it gets a temporary database there. By default limits are off and jobs do not run.
 */
export async function startServer(options: TestOptions = {}): Promise<TestServer> {
  const dataDir = await migratedFolder();
  const database = options.env?.DATABASE_URL === undefined ? await migratedDatabase() : null;
  const place = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}), ...options.env };
  const config: Config = readConfig({
    PORT: '0',
    RATE_LIMITS: 'off',
    REGISTRATION: 'open',
    SHARED_DATA_DIR: 'on',
    REDIS_PREFIX: redisPrefixOf(place),
    ...placeOfBlobs(inject('s3')),
    ...place,
  });
  const log = options.log ?? pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const server = await createServer(config, { jobs: false, ...options, log });
  const origin = await server.start().catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  if (options.jobs) await untilJobsRest(server);
  return {
    ...server,
    origin,
    async stop() {
      await server.stop();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Waits for the first run of all recurring jobs of a new database, for 5 s at most. Jobs that a killed process has
 * locked do not run.
 */
async function untilJobsRest({ app }: Server): Promise<void> {
  const kinds = Object.entries(jobKinds(app)).flatMap(([name, { everyMs }]) => (everyMs === undefined ? [] : [name]));
  const resting = { key: { in: kinds }, holder: null, dueAt: { gt: new Date(app.clock.now()) } };
  const giveUpAt = performance.now() + 5_000;
  while (performance.now() < giveUpAt) {
    if ((await app.db.reader.job.count({ where: resting })) === kinds.length) return;
    await setTimeout(20);
  }
}
