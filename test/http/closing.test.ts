import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { createMeasures } from '../../src/infra/observability/metrics.js';
import { openResources } from '../../src/resources.js';
import { ManualClock } from '../harness/clock.js';
import { missingForSeveralProcesses, REDIS_URL } from '../harness/redis.js';
import { migratedDatabase } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

const missing = await missingForSeveralProcesses();

describe.skipIf(missing)(needing(missing, 'the memory of the process'), () => {
  it('is released while a mail server does not respond', async () => {
    const database = await migratedDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'causeway-closing-'));
    const silent = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const reached = once(silent, 'connection');
    const { port } = silent.address() as AddressInfo;
    const other = new pg.Client({ connectionString: database?.url });
    await other.connect();
    const clock = new ManualClock();
    const env = {
      DATABASE_URL: database?.url ?? '',
      DATA_DIR: dataDir,
      REDIS_URL,
      SHARED_DATA_DIR: 'on',
      SMTP_URL: `smtp://127.0.0.1:${port}`,
    };
    const resources = await openResources(
      readConfig(env),
      pino({ level: 'silent' }),
      { clock, connectionClock: clock },
      createMeasures(new Registry()),
    );
    await resources.mailer.send({ to: 'ada@people.example', subject: 'Hello', text: 'Hello' });
    await reached;
    const leases = async () => (await other.query('SELECT 1 FROM "Worker" WHERE "owner" IS NOT NULL')).rowCount;
    expect(await leases()).toBe(1);
    // The clock does not advance.
    const closed = resources.close();
    // The mail timeout is ten seconds.
    await expect.poll(leases, { timeout: 8_000 }).toBe(0);
    clock.advance(1_000);
    await closed;
    silent.close();
    await other.end();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
});
