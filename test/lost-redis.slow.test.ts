import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Frame, GatewayClient } from './harness/gateway-client.js';
import { askGraphql } from './harness/graphql.js';
import type { Line } from './harness/line.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
  uninstall,
} from './harness/people.js';
import { layRedisLine, missingForSeveralProcesses, REDIS_URL } from './harness/redis.js';
import { ask } from './harness/rest.js';
import { migratedDatabase, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';
import { socketClient, subscribe } from './harness/sockets.js';
import { createTeam, renameTeam } from './harness/teams.js';

const missing = await missingForSeveralProcesses();

describe.skipIf(missing)(needing(missing, 'a process that lost its Redis for a while'), () => {
  let database: { url: string; drop(): Promise<void> } | null;
  let dataDir: string;
  let line: Line;
  /** This process always has its Redis and makes all changes. */
  let first: TestServer;
  /** This process loses its connection to Redis. */
  let second: TestServer;
  let ada: Person;

  beforeAll(async () => {
    database = await migratedDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-lost-redis-'));
    line = await layRedisLine();
    const shared = { DATABASE_URL: database?.url ?? '', DATA_DIR: dataDir };
    [first, second] = await Promise.all([
      startServer({ env: { ...shared, REDIS_URL } }),
      startServer({ env: { ...shared, REDIS_URL: line.url } }),
    ]);
    ada = await signUp(first, 'ada');
  });
  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop()]);
    line?.close();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Cuts the connection during `happens` and restores it. Resolves once the second process gets events again. */
  async function unheard(happens: () => Promise<void>): Promise<void> {
    line.cut();
    await happens();
    const subscription = second.app.bus.subscribe('sessions', () => {});
    line.mend();
    await expect.poll(() => subscription.isComplete, { timeout: 20_000 }).toBe(true);
    subscription.close();
  }

  const namesOf = async (bot: MadeApplication, path: string) =>
    ask(second, 'GET', path, { headers: { authorization: `Bot ${bot.botToken}` } });

  async function botIn(guild: MadeGuild): Promise<{ bot: MadeApplication; installation: string }> {
    const bot = await createApplication(ada);
    return { bot, installation: await install(ada, bot, guild) };
  }

  it('drops cached memberships, bot tokens and sessions that ended in that time', async () => {
    const guild = await createGuild(ada);
    const { bot: removed, installation } = await botIn(guild);
    const { bot: reset } = await botIn(guild);
    const bob = await signUp(first, 'bob');
    const statuses = async () => {
      const channel = `/channels/${guild.textChannelId}`;
      const { data } = await askGraphql(second, '{ me { username } }', {}, { authorization: `Bearer ${bob.token}` });
      return [(await namesOf(removed, channel)).status, (await namesOf(reset, '/users/@me')).status, data.me?.username];
    };
    expect(await statuses()).toEqual([200, 200, 'bob']);
    // Only reads after all invalidations are cached. This one is.
    expect(await statuses()).toEqual([200, 200, 'bob']);
    await unheard(async () => {
      await uninstall(ada, installation);
      await ada.graphql('mutation ($i: ApplicationIdInput!) { resetBotToken(input: $i) { botToken } }', {
        i: { applicationId: reset.id },
      });
      await fetch(`${first.origin}/auth/sign-out`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bob.token}` },
      });
      // The second process got no event and still answers from its cache.
      expect(await statuses()).toEqual([200, 200, 'bob']);
    });
    await expect.poll(statuses, { timeout: 10_000 }).toEqual([403, 401, undefined]);
  });

  it('ends gateway sessions whose token was replaced, and catches up on the guilds of the others', async () => {
    const [kept, left] = [await createGuild(ada, 'Kept'), await createGuild(ada, 'Left')];
    const { bot: reset } = await botIn(kept);
    const { bot, installation } = await botIn(left);
    await install(ada, bot, kept);
    const dead = await GatewayClient.open(second.origin);
    await dead.ready(reset.botToken);
    const alive = await GatewayClient.open(second.origin);
    await alive.ready(bot.botToken);
    let joined: MadeGuild | undefined;
    await unheard(async () => {
      await ada.graphql('mutation ($i: ApplicationIdInput!) { resetBotToken(input: $i) { botToken } }', {
        i: { applicationId: reset.id },
      });
      await uninstall(ada, installation);
      joined = await createGuild(ada, 'Joined');
      await install(ada, bot, joined);
    });
    expect((await dead.closed).code).toBe(4004);
    const isOfGuild = ({ t }: Frame) => t === 'GUILD_CREATE' || t === 'GUILD_DELETE';
    const events = [await alive.next(isOfGuild), await alive.next(isOfGuild)];
    expect(events.map(({ t, d }) => [t, d.id]).sort()).toEqual([
      ['GUILD_CREATE', joined?.id],
      ['GUILD_DELETE', left.id],
    ]);
    await sendMessage(ada, kept.textChannelId, 'heard again');
    expect((await alive.event('MESSAGE_CREATE')).d.content).toBe('heard again');
    await alive.close();
  });

  it('sends subscribers the current state, and ends subscriptions without a permission', async () => {
    const team = await createTeam(ada, 'Otters');
    const guild = await createGuild(ada);
    const carol = await signUp(first, 'carol');
    await invite(ada, guild, carol);
    const adas = socketClient(second, { token: ada.token });
    const carols = socketClient(second, { token: carol.token });
    const changes = await subscribe(adas, 'subscription ($id: ID!) { teamChanged(teamId: $id) { name } }', {
      id: team.id,
    });
    const events = await subscribe(carols, 'subscription ($id: ID!) { channelEvents(channelId: $id) { type } }', {
      id: guild.textChannelId,
    });
    await unheard(async () => {
      await renameTeam(ada, team, 'Badgers');
      await carol.graphql('mutation ($id: ID!) { leaveGuild(input: { guildId: $id }) { id } }', { id: guild.id });
    });
    expect((await changes.next()).data.teamChanged.name).toBe('Badgers');
    expect((await events.next()).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    await Promise.all([adas.dispose(), carols.dispose()]);
  });
});
