import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartError } from '../../../src/config.js';
import { systemClock } from '../../../src/infra/clock.js';
import { type DatabaseLock, lockDatabase } from '../../../src/infra/database/database-lock.js';
import { aloneOnPostgres } from '../../../src/infra/database/postgres.js';
import { ManualClock } from '../../harness/clock.js';
import { endLockHolders, type ThrowAwayDatabase, throwAwayDatabase } from '../../harness/databases.js';
import { noPostgres } from '../../harness/interleave.js';
import { LossyLine } from '../../harness/lossy-line.js';
import { needing } from '../../harness/skipping.js';
import { until } from '../../harness/until.js';

const HOUR = 3_600_000;

describe.skipIf(noPostgres)(needing(noPostgres, 'a PostgreSQL database of an exclusive process'), () => {
  let database: ThrowAwayDatabase | null;
  let line: LossyLine;
  let far: string;
  let near: string;
  let clock: ManualClock;
  const holds: DatabaseLock[] = [];

  beforeEach(async () => {
    database = await throwAwayDatabase();
    near = database?.url ?? '';
    line = await LossyLine.open();
    const server = new URL(near);
    line.leadTo({ origin: `http://127.0.0.1:${server.port || 5432}` });
    server.host = new URL(line.origin).host;
    far = server.href;
    clock = new ManualClock();
  });
  afterEach(async () => {
    line.cutSwallowed();
    await Promise.all(holds.splice(0).map((databaseLock) => databaseLock.release()));
    await line.close();
    await database?.drop();
  });

  const take = async (...parameters: Parameters<typeof lockDatabase>) => {
    const hold = await lockDatabase(...parameters);
    holds.push(hold);
    return hold;
  };

  it('is free soon after its machine vanished without closing its connections', async () => {
    await take(far, clock, { silence: 500, keepalive: HOUR });
    line.swallow();
    await take(near, systemClock);
  });

  it('stays taken as long as the process is alive', async () => {
    await take(far, clock, { silence: 1_500, keepalive: 500 });
    await expect(lockDatabase(near, systemClock)).rejects.toThrow(StartError);
    expect(clock.waiting).toBe(0);
  });

  it('is given up by a process without answers of the server, and is reported as taken by another process', async () => {
    const { taken } = await take(far, clock, { silence: 400, keepalive: 100 });
    line.swallow();
    await until(() => clock.waiting > 0);
    await take(near, systemClock);
    clock.advance(1_000);
    expect((await taken).message).toMatch(/^another Causeway process uses the database of DATABASE_URL/);
  });

  it("is not reported as taken by the process's own lost connection, and is taken again once the server ends that", async () => {
    const hold = await take(far, systemClock, { silence: 4_000, keepalive: 500 });
    const regained = new Promise((resolve) => hold.onRegained(() => resolve('regained')));
    line.swallow();
    expect(await Promise.race([hold.taken, regained])).toBe('regained');
    await hold.release();
    await take(near, systemClock);
  });

  it('is reported as taken if a connection with the number of the lost connection has it and does not end', async () => {
    const { taken } = await take(far, clock, { silence: HOUR, keepalive: 100 });
    line.swallow();
    await until(() => clock.waiting > 0);
    clock.advance(1_000);
    await until(() => clock.waiting > 0);
    clock.advance(HOUR + 10_000);
    expect((await taken).message).toMatch(/^another Causeway process uses the database of DATABASE_URL/);
  });

  it('is requested again when the server goes silent a second time', async () => {
    const hold = await take(far, clock, { silence: 400, keepalive: 100 });
    const regained = new Promise<void>((resolve) => hold.onRegained(resolve));
    line.swallow();
    await until(() => clock.waiting > 0);
    line.pause('down');
    const before = line.connections;
    clock.advance(1_000);
    await until(() => line.connections > before);
    line.swallow();
    line.mend();
    await until(() => clock.waiting > 0);
    clock.advance(1_000);
    await regained;
  });

  /** Ends the connection that has the lock, and waits until the process knows. */
  async function loseHold(other: pg.Client): Promise<void> {
    await endLockHolders(other);
    await until(() => clock.waiting > 0);
  }

  it('is free when the process releases it, even while it requests it again', async () => {
    const hold = await lockDatabase(far, clock);
    const other = new pg.Client({ connectionString: near });
    await other.connect();
    await loseHold(other);
    clock.advance(1_000);
    await hold.release();
    await take(near, systemClock);
    await other.end();
  });

  it('is requested again while others check whether it is free', async () => {
    const hold = await take(far, clock);
    const asker = new pg.Client({ connectionString: near });
    await asker.connect();
    await loseHold(asker);
    await asker.query('SELECT pg_advisory_lock_shared(4900101)');
    clock.advance(1_000);
    await until(() => clock.waiting > 0);
    await asker.end();
    let isRegained = false;
    hold.onRegained(() => {
      isRegained = true;
    });
    await until(() => {
      clock.advance(1_000);
      return isRegained;
    });
    await expect(lockDatabase(near, systemClock)).rejects.toThrow(StartError);
  });

  describe('for its migrations', () => {
    it('is free soon after its machine vanished', async () => {
      let begin: () => void = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const migrating = aloneOnPostgres(far, () => new Promise(() => begin()), { silence: 500, keepalive: HOUR });
      migrating.catch(() => {});
      await begun;
      line.swallow();
      let isMigrated = false;
      await aloneOnPostgres(near, async () => {
        isMigrated = true;
      });
      expect(isMigrated).toBe(true);
    });

    it('stays taken for as long as they take', async () => {
      const other = new pg.Client({ connectionString: near });
      await other.connect();
      await aloneOnPostgres(far, () => other.query('SELECT pg_sleep(3)'), { silence: 1_500, keepalive: 500 });
      await other.end();
    });
  });
});
