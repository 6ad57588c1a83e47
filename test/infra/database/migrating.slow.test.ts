import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig, StartError } from '../../../src/config.js';
import { systemClock } from '../../../src/infra/clock.js';
import { createMeasures } from '../../../src/infra/observability/metrics.js';
import { openResources } from '../../../src/resources.js';
import { endLockHolders, throwAwayDatabase } from '../../harness/databases.js';
import { noPostgres } from '../../harness/interleave.js';
import { type Line, layLine } from '../../harness/line.js';
import { needing } from '../../harness/skipping.js';

describe.skipIf(noPostgres)(needing(noPostgres, 'a migration whose connection is lost'), () => {
  let database: Awaited<ReturnType<typeof throwAwayDatabase>>;
  let dataDir: string;
  let line: Line;
  let other: pg.Client;
  /** Watches the lock, outside of a transaction. */
  let watcher: pg.Client;
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => void uncaught.push(error);

  beforeEach(async () => {
    database = await throwAwayDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-migrating-'));
    line = await layLine(database?.url ?? '', 5432);
    other = new pg.Client({ connectionString: database?.url });
    watcher = new pg.Client({ connectionString: database?.url });
    await Promise.all([other.connect(), watcher.connect()]);
    process.on('uncaughtException', onUncaught);
  });
  afterEach(async () => {
    process.off('uncaughtException', onUncaught);
    await Promise.all([other.end(), watcher.end()]);
    line.close();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const loseAll = async () => line.cut();
  /** The connection that has the lock while the others work. */
  const loseLock = () => endLockHolders(watcher);

  it.each([
    ['all of them', loseAll],
    ['that of the lock alone', loseLock],
  ])('(%s) fails the start with one error', async (_which, lose) => {
    await other.query('BEGIN');
    await other.query('CREATE TABLE "_prisma_migrations" ("id" int)');
    const config = readConfig({ DATABASE_URL: line.url, DATA_DIR: dataDir });
    const clocks = { clock: systemClock, connectionClock: systemClock };
    const opening = openResources(config, pino({ level: 'silent' }), clocks, createMeasures(new Registry())).catch(
      (error: unknown) => error,
    );
    const waiting = async () => {
      const sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      return (await watcher.query(sql)).rowCount;
    };
    await expect.poll(waiting, { timeout: 20_000 }).toBe(1);
    await lose();
    await other.query('ROLLBACK');
    const fault = await opening;
    expect(fault).toBeInstanceOf(StartError);
    expect((fault as StartError).message).toMatch(/^could not open the database of DATABASE_URL: /);
    expect(uncaught).toEqual([]);
  });
});
