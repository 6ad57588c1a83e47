import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { createServer, type Overrides } from '../../src/server.js';
import { migratedDatabase, type TestServer } from './server.js';

export interface TestBox extends TestServer {
  dataDir: string;
}

export interface BoxOptions extends Overrides {
  cloudUrl: string;
  token?: string;
  /** A folder that stays when the box stops. */
  dataDir?: string;
}

export function emptyFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'causeway-box-'));
}

/** Starts the real server as a box. Without an enrolment it waits for its cloud. */
export async function startBox({ cloudUrl, token, dataDir, ...overrides }: BoxOptions): Promise<TestBox> {
  const folder = dataDir ?? (await emptyFolder());
  const database = await migratedDatabase();
  const env = {
    PORT: '0',
    DATA_DIR: folder,
    RATE_LIMITS: 'off',
    CLOUD_URL: cloudUrl,
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...(token === undefined ? {} : { BOX_TOKEN: token }),
  };
  const log = overrides.log ?? pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const server = await createServer(readConfig(env, 'box'), { jobs: false, ...overrides, log });
  const origin = await server.start();
  return {
    ...server,
    origin,
    dataDir: folder,
    async stop() {
      await server.stop();
      await database?.drop();
      if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
