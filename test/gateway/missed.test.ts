import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, expect } from 'vitest';
import { topics } from '../../src/infra/streams/topics.js';
import { it } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { putInGuilds } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { readingsOf } from '../harness/statements.js';
import { turnsDuring } from '../harness/turns.js';
import { addMember, createBot, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

const BOTS = 30;

let server: TestServer;
let kept: TestGuild;
let bots: TestBot[];
let clients: GatewayClient[];

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  kept = await createGuild(server.app);
  bots = [];
  clients = [];
  for (let count = 0; count < BOTS; count += 1) {
    const bot = await createBot(server.app, { owner: kept.owner });
    await addMember(server.app, kept.id, bot.user);
    bots.push(bot);
  }
  for (const bot of bots) {
    const client = await GatewayClient.open(server.origin);
    await client.ready(bot.token, { intents: Intent.Guilds | Intent.MessageContent });
    clients.push(client);
  }
});
afterAll(async () => {
  for (const client of clients) client.socket.terminate();
});

/** Publishes what a reconnected process publishes: one message to every topic in the same turn of the event loop. */
function tellReconnected(): void {
  for (const topic of [topics.guild(kept.id), ...bots.map(({ id }) => topics.application(id))])
    server.app.bus.lose(topic);
}

it('G-49 a process catches up after a reconnect with one read for all applications and one task per bot', async () => {
  const { application, member, guild } = server.app.db.writer;
  const [reset, switchedOff, deleted, left] = bots as [TestBot, TestBot, TestBot, TestBot];
  await application.update({ where: { id: reset.id }, data: { botTokenHash: 'another' } });
  await application.update({ where: { id: switchedOff.id }, data: { messageContentIntent: false } });
  await application.update({ where: { id: deleted.id }, data: { deletedAt: new Date() } });
  await member.deleteMany({ where: { userId: left.id, guildId: kept.id } });
  const joined = server.app.nextId();
  await putInGuilds(server.app, [joined], kept.owner, bots.at(-1)!.user);
  expect(await guild.count()).toBe(2);

  const { statements, result: turns } = await readingsOf(() =>
    turnsDuring(async () => {
      tellReconnected();
      await clients.at(-1)!.next(({ t, d }) => t === 'GUILD_CREATE' && d.id === String(joined));
    }),
  );
  expect(statements.filter((sql) => /SELECT.*FROM\W+(\w+\W+)?Application\W/s.test(sql))).toHaveLength(1);
  expect(turns).toBeGreaterThanOrEqual(BOTS - 3);
  expect(await Promise.all([0, 1, 2].map(async (index) => (await clients[index]!.closed).code))).toEqual([
    4004, 4014, 4004,
  ]);
  const deletions = [await clients[3]!.event('GUILD_DELETE'), await clients[3]!.event('GUILD_DELETE')];
  expect(deletions.map(({ d }) => d)).toEqual([{ id: String(kept.id), unavailable: true }, { id: String(kept.id) }]);
});
