import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startBox, type TestBox } from '../../harness/box.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from '../../harness/people.js';
import { makeBox, type SelfHosted, startSelfHosted, statusOf, untilBox } from '../../harness/self-hosted.js';
import { type OpenClient, openDiscordJs, openEris, openOceanic, type StockClient } from './stock-clients.js';

let all: SelfHosted;
let second: { box: TestBox; boxId: string; keeper: Person };
const clients: StockClient[] = [];

beforeAll(async () => {
  all = await startSelfHosted();
  second = await startSecondBox();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await second?.box.stop();
  await all.stop();
});

async function startSecondBox() {
  const { cloud, owner } = all;
  const { box: made, token } = await makeBox(owner, 'Shed');
  const box = await startBox({ cloudUrl: cloud.origin, token });
  await untilBox(cloud, made.id, async () => (await statusOf(owner, made.id)) === 'CONNECTED');
  return { box, boxId: made.id, keeper: await signUp(box, 'keeper') };
}

async function makeSecondGuild(): Promise<MadeGuild> {
  const guild = await createGuild(second.keeper, 'Shed');
  const { cloud } = all;
  await untilBox(cloud, second.boxId, async () => (await cloud.app.boxRoutes.ofGuild(BigInt(guild.id))) !== null);
  return guild;
}

async function newBot(...guilds: MadeGuild[]): Promise<MadeApplication> {
  const bot = await createApplication(all.owner, 'Lamplighter');
  for (const guild of guilds) await install(all.owner, bot, guild, { permissions: '8' });
  return bot;
}

async function login(open: OpenClient, bot: MadeApplication, shard?: { id: number; of: number }) {
  const client = await open({ origin: all.cloud.origin, token: bot.botToken, ...(shard ? { shard } : {}) });
  clients.push(client);
  return client;
}

const LIBRARIES = { 'discord.js': openDiscordJs, 'oceanic.js': openOceanic, eris: openEris };

const shardOf = ({ id }: { id: string }, of: number) => Number((BigInt(id) >> 22n) % BigInt(of));

describe.each(Object.entries(LIBRARIES))('%s', (_library, open) => {
  it("two bots in one server of a box get each other's messages and their own", async () => {
    const guild = await all.makeGuild();
    const [one, other] = [await newBot(guild), await newBot(guild)];
    const [first, last] = [await login(open, one), await login(open, other)];
    await first.send(guild.textChannelId, 'from the first');
    await last.told.until('message from the first');
    await last.send(guild.textChannelId, 'from the last');
    for (const { told } of [first, last]) {
      await told.until('message from the last');
      expect(told.entries).toEqual(['message from the first', 'message from the last']);
    }
    const bots = [one.id, other.id];
    expect(first.cached(guild.id)?.members).toEqual(expect.arrayContaining(bots));
    expect(last.cached(guild.id)).toEqual(first.cached(guild.id));
  });

  it('a bot is in a server of the cloud and in servers of two boxes', async () => {
    const guilds = [await createGuild(all.owner, 'Cloud'), await all.makeGuild(), await makeSecondGuild()] as const;
    const client = await login(open, await newBot(...guilds));
    const keepers = [all.owner, all.keeper, second.keeper];
    for (const [index, { id, textChannelId, name }] of guilds.entries()) {
      expect(client.cached(id)?.name).toBe(name);
      await sendMessage(keepers[index]!, textChannelId, `to ${name}`);
      await client.told.until(`message to ${name}`);
      await client.send(textChannelId, `from ${name}`);
      await client.told.until(`message from ${name}`);
    }
    expect(client.told.entries).toHaveLength(2 * guilds.length);
  });

  it('with two shards, a server of a box is shown to the shard of its id only', async () => {
    const guilds = await guildsOfBothShards();
    const bot = await newBot(...guilds);
    const shards = [await login(open, bot, { id: 0, of: 2 }), await login(open, bot, { id: 1, of: 2 })];
    for (const [index, guild] of guilds.entries()) {
      expect(shards.map((shard) => shard.cached(guild.id)?.name)).toEqual(
        [0, 1].map((id) => (id === index ? guild.name : undefined)),
      );
      await sendMessage(all.keeper, guild.textChannelId, `to shard ${index}`);
      await shards[index]!.told.until(`message to shard ${index}`);
    }
    expect(shards.map(({ told }) => told.entries)).toEqual([['message to shard 0'], ['message to shard 1']]);
  });
});

/** Servers of the box: the first of shard 0 of 2, the second of shard 1. */
async function guildsOfBothShards(): Promise<[MadeGuild, MadeGuild]> {
  const found: (MadeGuild | undefined)[] = [];
  while (!found[0] || !found[1]) {
    const guild = await all.makeGuild(`Attic ${found.length}`);
    found[shardOf(guild, 2)] ??= guild;
  }
  return [found[0], found[1]];
}
