import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../harness/clock.js';
import type { Loose } from '../../harness/graphql.js';
import {
  type Announced,
  announce,
  connectNewBox,
  guildOf,
  type HandBox,
  putInstallation,
} from '../../harness/hand-box.js';
import { type Person, signUp } from '../../harness/people.js';
import { RestBot } from '../../harness/rest.js';
import { migratedDatabase, migratedFolder, startServer, type TestServer } from '../../harness/server.js';
import { refuseStatements } from '../../harness/statements.js';
import { createBot, userOf } from '../../harness/world.js';

const STATISTICS = `query ($id: ID!) { box(id: $id) { statistics {
  requests failures { status count } addedP50Ms addedP95Ms hours { startsAt requests failed }
} } }`;

const HOUR = 3_600_000;

interface Scene {
  owner: Person;
  box: HandBox;
  guild: Announced;
  bot: RestBot;
}

let owners = 0;

async function openScene(server: TestServer): Promise<Scene> {
  const owner = await signUp(server, `owner${++owners}`);
  const user = await userOf(server.app, owner);
  const bot = new RestBot(server, await createBot(server.app));
  const box = await connectNewBox(server, user);
  const guild = guildOf(box, [bot.id]);
  await announce(box, [guild]);
  await putInstallation(server, bot.bot, guild.id);
  return { owner, box, guild, bot };
}

const shownTo = async ({ owner, box }: Pick<Scene, 'owner' | 'box'>): Promise<Loose> =>
  (await owner.graphql(STATISTICS, { id: String(box.id) })).box.statistics;

const failuresIn = ({ failures }: Loose): Record<number, number> =>
  Object.fromEntries(failures.map(({ status, count }: Loose) => [status, count]));

/**
 * Sends a request that the box answers with this text after this many milliseconds.
 * @returns the status
 */
async function asked({ bot, box, guild }: Scene, body = '[]', took_ms?: number, heldMs = 0): Promise<number> {
  const answer = bot.get(`/guilds/${guild.id}/roles`);
  const { id } = await box.relay.next('request');
  if (heldMs > 0) await setTimeout(heldMs);
  box.relay.send({ op: 'response', id, status: 200, headers: {}, body: body.length, took_ms });
  box.relay.sendBody(id, body);
  return (await answer).status;
}

describe('the statistics of a box for its owner', () => {
  const clock = new ManualClock();
  let server: TestServer;
  let scene: Scene;
  beforeAll(async () => {
    server = await startServer({ clock });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    scene = await openScene(server);
  });
  afterEach(() => scene.box.relay.cut());

  it('are empty without requests', async () => {
    const { hours, ...shown } = await shownTo(scene);
    expect(shown).toEqual({
      requests: 0,
      failures: [413, 502, 503, 504].map((status) => ({ status, count: 0 })),
      addedP50Ms: null,
      addedP95Ms: null,
    });
    expect(hours).toHaveLength(24);
    const present = Math.floor(clock.now() / HOUR) * HOUR;
    expect(hours.map(({ startsAt }: Loose) => Date.parse(startsAt))).toEqual(
      Array.from({ length: 24 }, (_, index) => present - (23 - index) * HOUR),
    );
  });

  it('count each request by its outcome', async () => {
    const { bot, box, guild } = scene;
    expect(await asked(scene)).toBe(200);
    expect(await asked(scene, '{')).toBe(502);
    const late = bot.get(`/guilds/${guild.id}`);
    await box.relay.next('request');
    clock.advance(12_000);
    expect((await late).status).toBe(504);
    await box.relay.close();
    expect((await bot.get(`/guilds/${guild.id}`)).status).toBe(503);
    expect((await bot.get(`/guilds/${guild.id}`)).status).toBe(503);
    await server.app.boxMeasures.store();
    const shown = await shownTo(scene);
    expect(shown.requests).toBe(5);
    expect(failuresIn(shown)).toEqual({ 413: 0, 502: 1, 503: 2, 504: 1 });
    const sum = (of: string) => shown.hours.reduce((total: number, hour: Loose) => total + hour[of], 0);
    expect([sum('requests'), sum('failed')]).toEqual([5, 4]);
  });

  it('have the delay of the relay, if the box reports its working time', async () => {
    expect(await asked(scene)).toBe(200);
    await server.app.boxMeasures.store();
    expect(await shownTo(scene)).toMatchObject({ requests: 1, addedP50Ms: null, addedP95Ms: null });
    // The process measures durations with its own clock, so only large differences are distinguishable.
    expect(await asked(scene, '[]', 990, 1_000)).toBe(200);
    await server.app.boxMeasures.store();
    expect((await shownTo(scene)).addedP95Ms).toBeLessThan(1_000);
    expect(await asked(scene, '[]', 0, 1_000)).toBe(200);
    await server.app.boxMeasures.store();
    const { requests, addedP50Ms, addedP95Ms } = await shownTo(scene);
    expect(requests).toBe(3);
    expect(addedP50Ms).toBeLessThan(1_000);
    expect(addedP95Ms).toBeGreaterThanOrEqual(1_000);
  });

  it("include the cloud's own calls", async () => {
    const { owner, box, guild } = scene;
    const shown = owner
      .graphql('query ($id: ID!) { guild(id: $id) { description } }', { id: guild.id })
      .catch(() => {});
    await box.relay.answer({}, 500);
    await shown;
    await server.app.boxMeasures.store();
    expect(failuresIn(await shownTo(scene))).toMatchObject({ 502: 1 });
  });

  it('count each request in its hour, for 24 hours', async () => {
    const failed = async () => (await shownTo(scene)).hours.map((hour: Loose) => hour.failed);
    await scene.box.relay.close();
    await scene.bot.get(`/guilds/${scene.guild.id}`);
    await server.app.boxMeasures.store();
    const [before, none] = [Array(23).fill(0), Array(24).fill(0)];
    expect(await failed()).toEqual([...before, 1]);
    clock.advance(23 * HOUR);
    expect(await failed()).toEqual([1, ...before]);
    clock.advance(HOUR);
    expect(await failed()).toEqual(none);
    expect((await shownTo(scene)).requests).toBe(0);
  });

  it('contain no requests to another box', async () => {
    const other = await openScene(server);
    await asked(scene);
    await server.app.boxMeasures.store();
    expect([(await shownTo(scene)).requests, (await shownTo(other)).requests]).toEqual([1, 0]);
    other.box.relay.cut();
  });

  it('are stored later after a failed write, and no request fails for it', async () => {
    const refusals = refuseStatements(/INSERT INTO "BoxMeasure"/);
    try {
      expect(await asked(scene)).toBe(200);
      clock.advance(5_000);
      await server.app.boxMeasures.store();
      expect(refusals.refused.length).toBeGreaterThan(0);
      expect(await asked(scene)).toBe(200);
    } finally {
      refusals.end();
    }
    await server.app.boxMeasures.store();
    expect((await shownTo(scene)).requests).toBe(2);
  });
});

it('the statistics of a box are stored before the process stops', async () => {
  const [database, dataDir] = [await migratedDatabase(), await migratedFolder()];
  const env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
  const first = await startServer({ env });
  const { box, ...scene } = await openScene(first);
  await asked({ ...scene, box });
  await first.stop();
  const second = await startServer({ env });
  const rows = await second.app.db.reader.boxMeasure.findMany({ where: { boxId: box.id } });
  expect(rows).toMatchObject([{ outcome: 'answered', count: 1 }]);
  await second.stop();
  await database?.drop();
});
