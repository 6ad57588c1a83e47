import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { inject } from 'vitest';
import { type Config, readConfig } from '../../src/config.js';
import { createServer, type Overrides, type Server } from '../../src/server.js';
import { throwAwayDatabase } from './databases.js';

export interface TestServer extends Server {
  /** The origin, such as `http://localhost:40123`. */
  origin: string;
}

export interface TestOptions extends Overrides {
  env?: Record<string, string>;
}

/** A database of the test's own with all migrations, or null when the suite runs on SQLite. */
export function migratedDatabase(): ReturnType<typeof throwAwayDatabase> {
  return throwAwayDatabase(inject('template'));
}

/**
 * Starts the real server on a free port with a throw-away data folder and, when `TEST_DATABASE_URL` names a PostgreSQL
 * server, a throw-away database on it. Limits are off unless the test's `env` says otherwise, and jobs wait unless it asks for them.
 */
export async function startServer(options: TestOptions = {}): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-test-'));
  const database = options.env?.DATABASE_URL === undefined ? await migratedDatabase() : null;
  const config: Config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...options.env,
  });
  const log = options.log ?? pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const server = await createServer(config, { jobs: false, ...options, log });
  const origin = await server.start();
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
