import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deleteBox } from '../../src/domain/boxes/index.js';
import { uninstallApplication } from '../../src/domain/installations/index.js';
import { topics } from '../../src/infra/streams/topics.js';
import { ManualClock } from '../harness/clock.js';
import { type Frame, GatewayClient } from '../harness/gateway-client.js';
import {
  type Announced,
  acknowledged,
  announce,
  connectAgain,
  connectNewBox,
  guildOf,
  type HandBox,
  putInstallation,
} from '../harness/hand-box.js';
import { startServer, type TestServer } from '../harness/server.js';
import { callOf, createBot, type TestBot } from '../harness/world.js';

let server: TestServer;
let clock: ManualClock;
let box: HandBox;
let bot: TestBot;
let kept: Announced;
let ended: Announced;
let client: GatewayClient;

beforeEach(async () => {
  clock = new ManualClock();
  server = await startServer({ clock });
  box = await connectNewBox(server);
  bot = await createBot(server.app);
  [kept, ended] = [guildOf(box, [bot.id]), guildOf(box, [bot.id])];
  await announce(box, [kept, ended]);
  for (const { id } of [kept, ended]) await putInstallation(server, bot, id);
  client = await GatewayClient.open(server.origin);
});
afterEach(async () => {
  await client.close();
  await server.stop();
});

const told = (frames: Frame[]) => frames.map(({ t, d }) => [t, d]);
const leftOf = (...guilds: Announced[]) => guilds.map(({ id }) => ['GUILD_DELETE', { id }]);

async function loseBox(): Promise<void> {
  const { bus, db } = server.app;
  let notice = () => {};
  const noticed = new Promise<void>((resolve) => {
    notice = resolve;
  });
  const subscription = bus.subscribe(topics.box(box.id), async () => {
    const row = await db.reader.box.findUnique({ where: { id: box.id } });
    if (row?.holderId === null) notice();
  });
  box.relay.cut();
  await noticed;
  subscription.close();
}

async function readUnavailable(): Promise<void> {
  const ids = [];
  for (let count = 0; count < 2; count += 1) {
    const { d } = await client.event('GUILD_DELETE');
    expect(d.unavailable).toBe(true);
    ids.push(d.id);
  }
  expect(ids.sort()).toEqual([kept.id, ended.id].sort());
}

/**
 * Opens a session that gets both guilds as unavailable. They are unavailable immediately, because this box answers
 * nothing.
 */
async function shownUnavailable(): Promise<void> {
  await loseBox();
  client.identify(bot.token);
  await client.event('READY');
  await readUnavailable();
}

async function uninstall(): Promise<void> {
  const where = { applicationId_guildId: { applicationId: bot.id, guildId: BigInt(ended.id) } };
  const { id } = await server.app.db.reader.installation.findUniqueOrThrow({ where });
  await uninstallApplication(callOf(server.app, box.owner), id);
}

describe('G-50: a guild of a box that ends while its bots have it as unavailable is followed by one GUILD_DELETE', () => {
  beforeEach(shownUnavailable);

  it('if the application is uninstalled and then the box is deleted', async () => {
    await uninstall();
    expect(told(await client.settled())).toEqual(leftOf(ended));
    await deleteBox(callOf(server.app, box.owner), box.id);
    expect(told(await client.settled())).toEqual(leftOf(kept));
    expect(await client.settled()).toEqual([]);
  });

  it('if the box is deleted', async () => {
    await deleteBox(callOf(server.app, box.owner), box.id);
    const left = told(await client.settled());
    expect(left).toHaveLength(2);
    expect(left).toEqual(expect.arrayContaining(leftOf(kept, ended)));
  });

  it('R-31: if the box starts again without it, once the box is ready', async () => {
    const { relay } = await connectAgain(server, box);
    relay.send({ op: 'begin', session: 'anew' });
    relay.send({ op: 'announce', s: 1, guild: kept });
    clock.advance(1_000);
    expect(await client.settled()).toEqual([]);
    relay.send({ op: 'ready', s: 2 });
    await acknowledged(relay, 2);
    const frames = (await client.settled()).filter(({ d }) => d.id === ended.id);
    expect(told(frames)).toEqual(leftOf(ended));
    relay.cut();
  });
});
