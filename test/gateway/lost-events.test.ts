import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBotToken } from '../../src/domain/applications/bot-tokens.js';
import { updateApplication } from '../../src/domain/applications/index.js';
import { permissionsInChannel } from '../../src/domain/guilds/index.js';
import { topics } from '../../src/infra/streams/topics.js';
import { messageOfEvent } from '../harness/bus.js';
import { ManualClock } from '../harness/clock.js';
import { type Frame, GatewayClient } from '../harness/gateway-client.js';
import { ask } from '../harness/rest.js';
import { putMembers } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';
import { addMember, callOf, createBot, createGuild, say } from '../harness/world.js';

/**
 * The rows change without an event. This happens to a process that ends between its commit and its event, or loses its
 * Redis.
 */
let server: TestServer;
const clock = new ManualClock();
beforeAll(async () => {
  server = await startServer({ clock });
});
afterAll(() => server.stop());

const resetToken = (id: bigint) =>
  server.app.db.writer.application.update({
    where: { id },
    data: { botTokenHash: createBotToken(id, clock.now()).hash },
  });

it('G-15 a RESUME closes 4014 if this process got no event that the intent is off', async () => {
  const bot = await createBot(server.app);
  // The token is cached from here on. The check of the sessions runs half a minute after the first of them began.
  await ask(server, 'GET', '/users/@me', { headers: { authorization: `Bot ${bot.token}` } });
  clock.advance(20_000);
  const client = await GatewayClient.open(server.origin);
  const { d } = await client.ready(bot.token);
  client.socket.terminate();
  await client.closed;
  await server.app.db.writer.application.update({ where: { id: bot.id }, data: { messageContentIntent: false } });
  clock.advance(10_000);
  for (const outcome of ['closed', 'forgotten']) {
    const again = await GatewayClient.open(server.origin);
    again.send(6, { token: bot.token, session_id: d.session_id, seq: client.sequence });
    if (outcome === 'closed') expect((await again.closed).code).toBe(4014);
    else expect((await again.op(9)).d).toBe(false);
    again.socket.terminate();
  }
});

it('a bot token that was replaced without an event is refused after half a minute', async () => {
  const bot = await createBot(server.app);
  const status = async () =>
    (await ask(server, 'GET', '/users/@me', { headers: { authorization: `Bot ${bot.token}` } })).status;
  expect(await status()).toBe(200);
  await resetToken(bot.id);
  clock.advance(29_999);
  expect(await status()).toBe(200);
  clock.advance(1);
  expect(await status()).toBe(401);
});

it('G-30: sessions of a token that was replaced without an event close 4004 within a minute, and no others do', async () => {
  const { app } = server;
  const [bot, other] = [await createBot(app), await createBot(app)];
  const [dead, alive] = [await GatewayClient.open(server.origin), await GatewayClient.open(server.origin)];
  await dead.ready(bot.token);
  await alive.ready(other.token);
  await resetToken(bot.id);
  clock.advance(30_000);
  expect((await dead.closed).code).toBe(4004);
  clock.advance(30_000);
  expect(await alive.settled()).toEqual([]);
  await alive.close();
});

it('G-30: the tokens of all bots with sessions are compared by one query', async () => {
  const { app } = server;
  const bots = await Promise.all(Array.from({ length: 5 }, () => createBot(app)));
  const clients = await Promise.all(bots.map(() => GatewayClient.open(server.origin)));
  await Promise.all(clients.map((client, n) => client.ready(bots[n]!.token)));
  const statements = await statementsOf(async () => {
    for (const bot of bots) await resetToken(bot.id);
    clock.advance(30_000);
    await Promise.all(clients.map(({ closed }) => closed));
  });
  expect(
    statements.filter((sql) => /^SELECT.*Application/.test(sql) && /botTokenHash/.test(sql) && / IN /.test(sql)),
  ).toHaveLength(1);
});

it('G-26: a permission that was removed without an event is dropped within a minute, although it came from a cached guild', async () => {
  const { app } = server;
  const bot = await createBot(app);
  const guild = await createGuild(app);
  await addMember(app, guild.id, bot.user);
  await permissionsInChannel(app.guilds, guild.id, guild.channel.id, bot.id, clock.now());
  clock.advance(29_999);
  const client = await GatewayClient.open(server.origin);
  await client.ready(bot.token);
  await say(app, guild, guild.owner, 'seen');
  expect((await client.event('MESSAGE_CREATE')).d.content).toBe('seen');
  await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions: 0n } });
  clock.advance(30_000);
  client.send(1, client.sequence);
  await client.op(11);
  await say(app, guild, guild.owner, 'unseen');
  expect(await client.settled()).toEqual([]);
  await client.close();
});

it('G-29: a guild that was joined or left without an event is shown or removed within a minute', async () => {
  const { app } = server;
  const bot = await createBot(app);
  const [joined, left] = [await createGuild(app), await createGuild(app)];
  await addMember(app, left.id, bot.user);
  const client = await GatewayClient.open(server.origin);
  await client.ready(bot.token);
  // Both memberships are cached as they were when the session began.
  expect(await app.guilds.member(joined.id, bot.id)).toBeNull();
  expect(await app.guilds.member(left.id, bot.id)).not.toBeNull();
  clock.advance(29_000);
  await putMembers(app, [joined.id], [bot.user]);
  await app.db.writer.member.delete({ where: { guildId_userId: { guildId: left.id, userId: bot.id } } });
  clock.advance(30_000);
  const isOfGuilds = ({ t }: Frame) => t === 'GUILD_CREATE' || t === 'GUILD_DELETE';
  const told = [await client.next(isOfGuilds), await client.next(isOfGuilds)];
  expect(told.map(({ t, d }) => [t, d.id, d.unavailable ?? false]).toSorted()).toEqual([
    ['GUILD_CREATE', String(joined.id), false],
    ['GUILD_DELETE', String(left.id), false],
  ]);
  await client.close();
});

it('G-21: a guild that is joined after the bot was renamed shows the new name of the bot', async () => {
  const { app } = server;
  const bot = await createBot(app);
  const client = await GatewayClient.open(server.origin);
  await client.ready(bot.token);
  await updateApplication(callOf(app, bot.owner), { applicationId: bot.id, name: 'renamed' });
  await client.event('USER_UPDATE');
  const guild = await createGuild(app);
  await addMember(app, guild.id, bot.user);
  const { d } = await client.event('GUILD_CREATE');
  expect(d.members.map(({ user }: { user: { username: string } }) => user.username)).toContain('renamed');
  await client.close();
});

it('a cached bot token is dropped when the application changes, and kept for other messages of its topic', async () => {
  const { app } = server;
  const bot = await createBot(app);
  const authenticate = () => statementsOf(() => app.botTokens.authenticate(bot.token));
  await authenticate();
  expect(await authenticate()).toEqual([]);
  // This is the only other message on the topic that leaves the token as it is.
  app.bus.publish(topics.application(bot.id), messageOfEvent(app, { type: 'TEAM_UPDATED', teamId: 1n }));
  expect(await authenticate()).toEqual([]);
  await updateApplication(callOf(app, bot.owner), { applicationId: bot.id, description: 'another' });
  expect(await authenticate()).not.toEqual([]);
});
