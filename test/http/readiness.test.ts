import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { type Phase, ReadinessChecks } from '../../src/http/readiness.js';
import { ManualClock } from '../harness/clock.js';
import { openContext } from '../harness/context.js';
import { statementsOf } from '../harness/statements.js';

const clock = new ManualClock();
let app: AppContext;
let close: () => Promise<void>;
let lag: number;
let phase: Phase;

beforeAll(async () => {
  const context = await openContext();
  close = context.close;
  app = { ...context.app, connectionClock: clock };
});
afterAll(() => close());
beforeEach(() => {
  lag = 0;
  phase = 'ready';
});

const checksOf = (of: AppContext = app) =>
  new ReadinessChecks(of, { lagMs: () => lag, longestBlockMs: () => lag, stop: () => {} }, () => phase);

describe('the readiness of an instance', () => {
  it.each(['starting', 'draining'] as const)('is unavailable when %s, without a query', async (at) => {
    phase = at;
    const statements = await statementsOf(async () => {
      expect(await checksOf().check()).toEqual({ status: 'unavailable', reason: at, degraded: [] });
    });
    expect(statements).toEqual([]);
  });

  it('is unavailable when the instance stops while the database is queried', async () => {
    const answer = checksOf().check();
    phase = 'draining';
    expect(await answer).toEqual({ status: 'unavailable', reason: 'draining', degraded: [] });
  });

  it.each([
    [0, []],
    [500, []],
    [501, ['event-loop']],
  ])('with an event loop lag of %i ms is ok, degraded by %j', async (late, degraded) => {
    lag = late;
    expect(await checksOf().check()).toEqual({ status: 'ok', degraded });
  });

  it('lists all degraded parts: those of the instance, the disk and the event loop', async () => {
    lag = 1_000;
    const config = { ...app.config, dataDir: join(app.config.dataDir, 'not there') };
    expect(await checksOf({ ...app, config, degraded: () => ['redis'] }).check()).toEqual({
      status: 'ok',
      degraded: ['redis', 'disk', 'event-loop'],
    });
  });

  it('queries the database again after a second', async () => {
    const checks = checksOf();
    const asked = async () => (await statementsOf(() => checks.check())).filter((sql) => sql === 'SELECT 1').length;
    const counts = [await asked()];
    for (const ms of [999, 1]) {
      clock.advance(ms);
      counts.push(await asked());
    }
    expect(counts).toEqual([1, 0, 1]);
  });

  it('is not watched before the first probe', () => {
    const checks = checksOf();
    expect(checks.isWatched).toBe(false);
    checks.noteWatcher();
    expect(checks.isWatched).toBe(true);
  });
});
