import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGN_IN_PER_ACCOUNT } from '../../../src/domain/limits.js';
import { hashSecret } from '../../../src/infra/crypto/secrets.js';
import { ManualClock } from '../../harness/clock.js';
import { readableLog, readLines } from '../../harness/log.js';
import { signUp } from '../../harness/people.js';
import { openScene, type Scene } from '../../harness/rest.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { needing, noSqlite } from '../../harness/skipping.js';

describe.skipIf(noSqlite)(needing(noSqlite, 'a SQLite file that another process has locked'), () => {
  const clock = new ManualClock();
  let server: TestServer;
  let scene: Scene;
  /** Another connection, like one of another process. SQLite locks between connections. */
  let other: SqlDriverAdapter;
  const { log, lines } = readableLog('warn');

  beforeAll(async () => {
    server = await startServer({ env: { DATABASE_URL: '' }, clock, log });
    scene = await openScene(server);
    other = await connectTo(server);
  });
  afterAll(async () => {
    await other?.dispose();
    await server?.stop();
  });

  const connectTo = ({ app }: TestServer) =>
    new PrismaBetterSqlite3({ url: `file:${join(app.config.dataDir, 'causeway.db')}`, timeout: 0 }).connect();
  const lock = () => other.executeScript('BEGIN IMMEDIATE');
  const unlock = () => other.executeScript('ROLLBACK');
  const send = (content: string) => scene.bot.post(scene.messages, { content });
  const transaction = () => scene.bot.patch('/applications/@me', { description: `at ${clock.now()}` });

  async function passTimeUntil<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      clock.advance(10);
      await new Promise(setImmediate);
    }
    return done;
  }

  it('allows reads and other requests, and lets writes wait', async () => {
    await send('before');
    await lock();
    const waiting = Promise.all([send('one'), send('two')]);
    const reads = await Promise.all([scene.bot.get(scene.messages), fetch(`${server.origin}/healthz`)]);
    expect(reads.map(({ status }) => status)).toEqual([200, 200]);
    await unlock();
    expect((await passTimeUntil(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('fails statements and transactions after five seconds with a 503, and leaves nothing locked', async () => {
    await lock();
    const startedAt = clock.now();
    lines.length = 0;
    const writes = [send('one'), send('two'), transaction()];
    const answers = await passTimeUntil(Promise.all(writes));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(writes.map(() => [503, 130000]));
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(5_000);
    // Reads succeed all the time, and do not make each failed write a new outage.
    clock.advance(10_000);
    expect((await scene.bot.get(scene.messages)).status).toBe(200);
    expect((await passTimeUntil(send('three'))).status).toBe(503);
    expect(readLines(lines).map(({ msg }) => msg)).toEqual([
      'Database is not available; requests that need it get 503 until it is',
    ]);
    await unlock();
    expect((await send('after')).status).toBe(200);
    expect((await transaction()).status).toBe(200);
  });

  it('refuses a write after ten seconds in the queue', { tags: ['slow'] }, async () => {
    await lock();
    const waiting = Promise.all([transaction(), transaction(), transaction()]);
    // The queue counts real time, and the lock that of the test's clock.
    await setTimeout(10_500);
    const startedAt = clock.now();
    const answers = await passTimeUntil(waiting);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(clock.now() - startedAt).toBeLessThan(6_000);
    await unlock();
    expect((await transaction()).status).toBe(200);
  });

  it('counts no sign-in attempt that failed because of the lock', async () => {
    const limited = await startServer({ env: { DATABASE_URL: '', RATE_LIMITS: 'on' }, clock });
    const { email, password } = await signUp(limited, 'ada');
    const itsOther = await connectTo(limited);
    await itsOther.executeScript('BEGIN IMMEDIATE');
    const attempt = fetch(`${limited.origin}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect((await passTimeUntil(attempt)).status).toBe(503);
    const left = await limited.app.limits.peek(SIGN_IN_PER_ACCOUNT, hashSecret(email));
    expect(left.remaining).toBe(SIGN_IN_PER_ACCOUNT.points);
    await itsOther.dispose();
    await limited.stop();
  });
});
