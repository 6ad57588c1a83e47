import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Line } from './harness/line.js';
import { layLine } from './harness/line.js';
import { type RunningInstance, startInstance } from './harness/process.js';
import { layRedisLine, missingForSeveralProcesses } from './harness/redis.js';
import { ask } from './harness/rest.js';
import { migratedDatabase } from './harness/server.js';
import { needing } from './harness/skipping.js';

const missing = await missingForSeveralProcesses();

/** Most of it is for the start on a busy machine. */
const TIMEOUT_MS = 120_000;

describe.skipIf(missing)(needing(missing, 'SIGTERM ends a process whose PostgreSQL and Redis'), () => {
  let database: { url: string; drop(): Promise<void> } | null;
  let folder: string;
  let lines: Line[];

  beforeAll(async () => {
    database = await migratedDatabase();
    folder = await mkdtemp(join(tmpdir(), 'causeway-stop-'));
    lines = await Promise.all([layLine(database?.url ?? '', 5432), layRedisLine()]);
  });
  afterAll(async () => {
    for (const line of lines) line.close();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<RunningInstance> {
    const [postgres, redis] = lines.map(({ url }) => url);
    return startInstance({ DATABASE_URL: postgres ?? '', REDIS_URL: redis ?? '', DATA_DIR: folder, LOG_LEVEL: 'info' });
  }

  it.each(['cut', 'freeze'] as const)(
    'are gone (%s), with status 0',
    async (how) => {
      const instance = await start();
      for (const line of lines) line[how]();
      const status = await instance.end('SIGTERM');
      for (const line of lines) line.mend();
      expect(status).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'leave a request without an answer, after that got 503',
    async () => {
      const instance = await start();
      lines[0]?.freeze();
      const asked = ask(instance, 'GET', '/users/@me', { headers: { authorization: `Bot ${TOKEN}` } });
      // The server has read the earlier request by then.
      await ask(instance, 'GET', '/gateway');
      const status = await instance.end('SIGTERM');
      lines[0]?.mend();
      expect((await asked).status).toBe(503);
      expect(status).toBe(0);
    },
    TIMEOUT_MS,
  );
});

/** It looks like a bot token, so the server looks up its application. */
const TOKEN = `${Buffer.from('123456789012345678').toString('base64url')}.a.b`;
