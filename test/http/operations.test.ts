import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { putBox } from '../harness/box-guilds.js';
import { ManualClock } from '../harness/clock.js';
import { noPostgres } from '../harness/interleave.js';
import { type Line, layLine } from '../harness/line.js';
import { readinessOf } from '../harness/readiness.js';
import { ask } from '../harness/rest.js';
import { createPerson, putInVoice } from '../harness/rows.js';
import { migratedDatabase, startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { statementsOf } from '../harness/statements.js';
import { createGuild } from '../harness/world.js';

const get = async (origin: string, path: string) => ask({ origin }, 'GET', origin + path);

describe('a ready instance', () => {
  const clock = new ManualClock();
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ clock });
  });
  afterAll(() => server.stop());

  it('reports its readiness and any degraded part', async () => {
    expect(await get(server.origin, '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await readinessOf(server.origin)).toEqual([200, { status: 'ok', degraded: [] }]);
    server.app.degraded = () => ['redis'];
    expect(await readinessOf(server.origin)).toEqual([200, { status: 'ok', degraded: ['redis'] }]);
    server.app.degraded = () => [];
  });

  it('queries its database once a second, whatever the number of probes', async () => {
    clock.advance(2_000);
    const statements = await statementsOf(async () => {
      await Promise.all(Array.from({ length: 20 }, () => get(server.origin, '/readyz')));
      await get(server.origin, '/readyz');
    });
    expect(statements.filter((sql) => sql === 'SELECT 1')).toHaveLength(1);
  });
});

describe('the metrics', () => {
  it('count live processes, presences and voice states, and cache them for some seconds', async () => {
    const clock = new ManualClock();
    const server = await startServer({ clock });
    const shown = async () => {
      const text = await (await fetch(`${server.origin}/metrics`)).text();
      const metric = (name: string) => Number(new RegExp(`^causeway_${name} (\\d+)$`, 'm').exec(text)?.[1]);
      return ['live_processes', 'presences', 'voice_states'].map(metric);
    };
    expect(await shown()).toEqual([1, 0, 0]);
    const guild = await createGuild(server.app);
    const there = { status: null, activities: [], since: null, afk: false };
    await server.app.connections.open({ id: 'a connection', userId: guild.owner.id, session: null }, there);
    await putInVoice(server.app, { guildId: guild.id, userId: guild.owner.id });
    await server.app.db.writer.liveProcess.create({ data: { id: 'dead', until: new Date(0) } });
    const statements = await statementsOf(shown);
    expect(statements).toEqual([]);
    clock.advance(5_000);
    expect(await shown()).toEqual([1, 1, 1]);
    await server.stop();
  });
});

it('the metric of absent boxes leaves out those that are connected, just gone or out of use', async () => {
  const server = await startServer();
  const { db, nextId } = server.app;
  const owner = await createPerson(server.app);
  const put = async (hoursAgo: number, isConnected = false) => {
    const { box } = await putBox(server.app, owner, { isConnected });
    const lastSeenAt = new Date(Date.now() - hoursAgo * 3_600_000);
    await db.writer.box.update({ where: { id: box.id }, data: { lastSeenAt } });
  };
  for (const hoursAgo of [0.5, 2, 100, 200]) await put(hoursAgo);
  await put(2, true);
  await db.writer.box.create({ data: { id: nextId(), name: 'Never enrolled', ownerId: owner.id } });
  expect(await (await fetch(`${server.origin}/metrics`)).text()).toMatch(/^causeway_boxes_away 2$/m);
  await server.stop();
});

describe('the metric of requests to boxes', () => {
  it('has a zero for each outcome at the start, so that the first request is an increase', async () => {
    const server = await startServer();
    const text = await (await fetch(`${server.origin}/metrics`)).text();
    const shown = [...text.matchAll(/^causeway_relay_requests_total\{outcome="(\w+)"\} (\d+)$/gm)];
    expect(shown.map(([, outcome, count]) => [outcome, count])).toEqual(
      ['answered', '413', '502', '503', '504'].map((outcome) => [outcome, '0']),
    );
    await server.stop();
  });
});

describe('with METRICS_PORT', () => {
  it('probes and metrics are served at that port only', async () => {
    const server = await startServer({ env: { METRICS_PORT: '0' } });
    const { operationsUrl } = server.app.addresses;
    expect(operationsUrl).not.toBe(server.origin);
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect([path, (await get(operationsUrl, path)).status]).toEqual([path, 200]);
      expect([path, (await get(server.origin, path)).status]).toEqual([path, 404]);
    }
    await server.stop();
  });
});

describe.skipIf(noPostgres)(needing(noPostgres, 'an instance whose PostgreSQL is unavailable'), () => {
  const clock = new ManualClock();
  let database: { url: string; drop(): Promise<void> } | null;
  let line: Line;
  let server: TestServer;

  beforeAll(async () => {
    database = await migratedDatabase();
    line = await layLine(database?.url ?? '', 5432);
    server = await startServer({ env: { DATABASE_URL: line.url }, clock });
  });
  afterEach(() => line.mend());
  afterAll(async () => {
    await server?.stop();
    line?.close();
    await database?.drop();
  });

  it.each(['cut', 'freeze'] as const)('is alive but not ready, and reports the reason (%s)', async (how) => {
    line[how]();
    clock.advance(2_000);
    expect(await readinessOf(server.origin)).toEqual([
      503,
      { status: 'unavailable', reason: 'database', degraded: [] },
    ]);
    expect((await get(server.origin, '/healthz')).status).toBe(200);
    line.mend();
    clock.advance(2_000);
    await expect
      .poll(async () => {
        clock.advance(2_000);
        return (await get(server.origin, '/readyz')).status;
      })
      .toBe(200);
  });
});
