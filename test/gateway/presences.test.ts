import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leaveGuild } from '../../src/domain/guilds/index.js';
import { createInvite } from '../../src/domain/invites/index.js';
import type { User } from '../../src/infra/database/index.js';
import { ManualClock } from '../harness/clock.js';
import { ALL_INTENTS, GatewayClient } from '../harness/gateway-client.js';
import { loseAnswer, noPostgres } from '../harness/interleave.js';
import { listenTo } from '../harness/live.js';
import { addCrowd, createPerson } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import {
  addMember,
  callOf,
  createBot,
  createBotInGuild,
  joinGuildAs,
  type TestBot,
  type TestGuild,
} from '../harness/world.js';

const clock = new ManualClock();
let server: TestServer;
let watcher: TestBot;
let other: TestBot;
let guild: TestGuild;
const clients: GatewayClient[] = [];

beforeAll(async () => {
  server = await startServer({ clock });
});
afterAll(() => server.stop());
beforeEach(async () => {
  ({ bot: watcher, guild } = await createBotInGuild(server.app));
  other = await createBot(server.app);
  await addMember(server.app, guild.id, other.user);
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

async function session({ token }: TestBot, more: object = {}): Promise<GatewayClient> {
  clock.advance(5_000);
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  await client.ready(token, more);
  return client;
}

const seen = async (client: GatewayClient) => (await client.event('PRESENCE_UPDATE')).d;

const shown = ({ id }: Pick<User, 'id'>, status: string, activities: object[] = []) => ({
  guild_id: String(guild.id),
  user: { id: String(id) },
  status,
  activities,
  client_status: status === 'offline' ? {} : { web: status },
});

describe('G-39 presence', () => {
  it('G-56 begins with the connection and the presence in IDENTIFY, and ends with the connection', async () => {
    const client = await session(watcher);
    const activities = [{ name: 'chess', type: 0 }];
    const bot = await session(other, { presence: { status: 'idle', activities, since: 5, afk: true } });
    expect(await seen(client)).toEqual(
      shown(other, 'idle', [{ id: '0', name: 'chess', type: 0, created_at: clock.now() }]),
    );
    bot.socket.terminate();
    expect(await seen(client)).toEqual(shown(other, 'offline'));
  });

  it('G-57 changes by op 3, and is not sent if no viewer sees a difference', async () => {
    const client = await session(watcher);
    const bot = await session(other);
    expect(await seen(client)).toEqual(shown(other, 'online'));
    bot.send(3, { status: 'online', activities: [], since: null, afk: false });
    bot.send(3, { status: 'invisible', activities: [{ name: 'hiding', type: 0 }], since: null, afk: false });
    expect(await seen(client)).toEqual(shown(other, 'offline'));
    bot.send(3, { status: 'offline', activities: [], since: null, afk: false });
    bot.send(3, { status: 'dnd', activities: [], since: null, afk: false });
    expect(await seen(client)).toEqual(shown(other, 'dnd'));
  });

  it('G-39 keeps the fields of an activity that a bot may set', async () => {
    const client = await session(watcher);
    const stream = { name: 'live', type: 1, url: 'https://twitch.tv/x', state: 's', details: 'd', application_id: '1' };
    const activities = [stream, { name: 'chess', type: 0, url: 'https://x.example' }, { type: 4, state: 'here' }, {}];
    await session(other, { presence: { status: 'online', activities } });
    const created_at = clock.now();
    expect((await seen(client)).activities).toEqual([
      { id: '0', name: 'live', type: 1, url: 'https://twitch.tv/x', state: 's', created_at },
      { id: '1', name: 'chess', type: 0, created_at },
      { id: '2', name: 'Custom Status', type: 4, state: 'here', created_at },
    ]);
  });

  it('G-39 drops an activity of an unknown type, and keeps the other activities and the session', async () => {
    const client = await session(watcher);
    const strange = [-1, 6, 99, Number.MAX_SAFE_INTEGER].map((type) => ({ name: 'strange', type, state: 's' }));
    const chess = { name: 'chess', type: 0 };
    const shownChess = { id: '0', ...chess, created_at: clock.now() + 5_000 };
    const bot = await session(other, { presence: { status: 'idle', activities: [...strange, chess] } });
    expect(await seen(client)).toEqual(shown(other, 'idle', [shownChess]));
    bot.send(3, { status: 'dnd', activities: [chess, ...strange] });
    expect(await seen(client)).toEqual(shown(other, 'dnd', [shownChess]));
    bot.send(3, { status: 'idle', activities: strange });
    expect(await seen(client)).toEqual(shown(other, 'idle'));
    const competing = [0, 1, 2, 3, 4, 5].map((type) => ({ name: 'game', type }));
    bot.send(3, { status: 'dnd', activities: competing });
    expect((await seen(client)).activities.map(({ type }: { type: number }) => type)).toEqual([0, 1, 2, 3, 4, 5]);
    bot.send(3, { status: 'dnd', activities: [{ name: 'chess', type: 1.5 }] });
    expect(await bot.closed).toMatchObject({ code: 4002 });
  });

  it('G-39 accepts five changes in 20 s, and sends the latest of any further ones as soon as it may', async () => {
    const client = await session(watcher);
    const bot = await session(other);
    await seen(client);
    for (let said = 1; said <= 7; said += 1) {
      bot.send(3, { status: said % 2 ? 'idle' : 'dnd', activities: [{ name: `game ${said}`, type: 0 }] });
    }
    await bot.settled();
    await client.next(({ t, d }) => t === 'PRESENCE_UPDATE' && d.activities[0]?.name === 'game 5');
    clock.advance(20_000);
    expect((await seen(client)).activities[0].name).toBe('game 7');
  });

  it('G-56 of several sessions is the latest one, and lasts as long as one session does', async () => {
    const client = await session(watcher);
    const first = await session(other, { presence: { status: 'dnd' } });
    const second = await session(other, { presence: { status: 'idle' } });
    expect([(await seen(client)).status, (await seen(client)).status]).toEqual(['dnd', 'idle']);
    await second.close();
    expect((await seen(client)).status).toBe('dnd');
    await first.close();
    expect((await seen(client)).status).toBe('offline');
  });

  it('G-56 is restored by a RESUME', async () => {
    const client = await session(watcher);
    const bot = await session(other, { presence: { status: 'dnd' } });
    const { d } = bot.frames.find(({ t }) => t === 'READY')!;
    bot.socket.terminate();
    expect([(await seen(client)).status, (await seen(client)).status]).toEqual(['dnd', 'offline']);
    const again = await GatewayClient.open(server.origin);
    clients.push(again);
    again.send(6, { token: other.token, session_id: d.session_id, seq: bot.sequence });
    await again.event('RESUMED');
    expect((await seen(client)).status).toBe('dnd');
  });

  it('G-57 is sent with its intent only, and never to the bot itself', async () => {
    const without = await session(watcher, { intents: ALL_INTENTS & ~Intent.GuildPresences });
    const own = await session(other);
    own.send(3, { status: 'dnd' });
    await own.settled();
    const client = await session(watcher);
    own.send(3, { status: 'idle' });
    expect((await seen(client)).status).toBe('idle');
    const of = (frames: { t: string | null }[]) => frames.filter(({ t }) => t === 'PRESENCE_UPDATE');
    expect([of(await without.settled()), of(own.frames)]).toEqual([[], []]);
  });
});

describe.skipIf(noPostgres)(
  needing(noPostgres, 'a presence that may be stored, as the answer to its COMMIT is lost'),
  () => {
    const statement = { status: null, activities: [], since: null, afk: false };

    it('is published as soon as the database answers again', async () => {
      const client = await session(watcher);
      const { connections } = server.app;
      const key = { id: `of ${other.id}`, userId: other.id, session: null };
      await loseAnswer(/^COMMIT/, () => connections.open(key, statement));
      clock.advance(2_000);
      expect((await seen(client)).status).toBe('online');
      await loseAnswer(/^COMMIT/, () => connections.close(key.id));
      clock.advance(2_000);
      expect((await seen(client)).status).toBe('offline');
    });

    it('is published when the user sets the same status again', async () => {
      const client = await session(watcher);
      const { connections } = server.app;
      await connections.open({ id: `of ${other.id}`, userId: other.id, session: null }, statement);
      expect((await seen(client)).status).toBe('online');
      const set = () => connections.setStatus(other.id, 'dnd');
      expect(await loseAnswer(/^COMMIT/, set)).toBeInstanceOf(Error);
      await set();
      expect((await seen(client)).status).toBe('dnd');
    });
  },
);

describe('G-63 a user who becomes a member', () => {
  const told = (frames: Awaited<ReturnType<GatewayClient['settled']>>, { id }: Pick<User, 'id'>) =>
    frames
      .filter(({ d }) => d?.user?.id === String(id))
      .map(({ t, d }) => (t === 'PRESENCE_UPDATE' ? [t, d.status] : [t]));
  const thereAs = async (userId: bigint, status: 'idle' | 'dnd') => {
    const statement = { status, activities: [], since: null, afk: false };
    await server.app.connections.open({ id: `of ${userId}`, userId, session: null }, statement);
    return { state: (as: typeof status) => server.app.connections.state(`of ${userId}`, { ...statement, status: as }) };
  };

  it('G-63 and is online is shown as such after the joining; an offline user gets no presence', async () => {
    const client = await session(watcher);
    const [here, gone] = [await createPerson(server.app), await createPerson(server.app)];
    const bot = await createBot(server.app);
    await thereAs(here.id, 'idle');
    await session(bot, { presence: { status: 'dnd' } });
    const from = client.frames.length;
    for (const user of [here, gone, bot.user]) await joinGuildAs(server.app, guild.id, user);
    await client.next(({ t, d }) => t === 'PRESENCE_UPDATE' && d.user.id === String(bot.user.id));
    await client.settled();
    const frames = client.frames.slice(from);
    expect(told(frames, here)).toEqual([['GUILD_MEMBER_ADD'], ['PRESENCE_UPDATE', 'idle']]);
    expect(told(frames, gone)).toEqual([['GUILD_MEMBER_ADD']]);
    expect(told(frames, bot.user)).toEqual([['GUILD_MEMBER_ADD'], ['PRESENCE_UPDATE', 'dnd']]);
  });

  it('G-63 and changes at that moment is shown with the final presence', async () => {
    const user = await createPerson(server.app);
    const connection = await thereAs(user.id, 'idle');
    for (const status of ['dnd', 'idle', 'dnd', 'idle'] as const) {
      const heard = listenTo(server, guild.id);
      await Promise.all([joinGuildAs(server.app, guild.id, user), connection.state(status)]);
      const presences = heard.rest().filter(({ type }) => type === 'PRESENCE_UPDATE');
      expect(JSON.parse(presences.at(-1)?.data ?? '{}')).toMatchObject({ status });
      await leaveGuild(callOf(server.app, user), guild.id);
    }
  });
});

describe('G-22 GUILD_CREATE', () => {
  const created = async (bot: TestBot, more: object = {}) => {
    const client = await session(bot, more);
    return client.frames.find(({ t }) => t === 'GUILD_CREATE')!.d;
  };

  it('G-22 has the members who are not offline, with the presences intent only', async () => {
    await session(other, { presence: { status: 'dnd' } });
    const { presences } = await created(watcher);
    const { guild_id: _, ...dnd } = shown(other, 'dnd');
    const { guild_id: __, ...online } = shown(watcher, 'online');
    expect(presences).toHaveLength(2);
    expect(presences).toEqual(expect.arrayContaining([dnd, online]));
    expect((await created(watcher, { intents: Intent.Guilds })).presences).toEqual([]);
  });

  it('G-22 of a large guild has online members even if they have neither role nor nickname', async () => {
    await addCrowd(server.app, guild.id, 60);
    const crowd = await server.app.db.reader.user.findMany({ where: { username: { startsWith: 'crowd' } }, take: 1 });
    const userId = crowd[0]!.id;
    await server.app.connections.open(
      { id: 'socket', userId, session: null },
      {
        status: null,
        activities: [],
        since: null,
        afk: false,
      },
    );
    const { members, presences, large } = await created(watcher);
    const ids = (list: { user: { id: string } }[]) => list.map(({ user }) => user.id).sort();
    expect(large).toBe(true);
    expect(ids(members)).toEqual([watcher.id, other.id, userId].map(String).sort());
    expect(ids(presences)).toEqual([watcher.id, userId].map(String).sort());
    await server.app.connections.close('socket');
  });

  it('G-40 chunks have the presences of their members, by prefix and by ids', async () => {
    const client = await session(watcher);
    await session(other, { presence: { status: 'idle' } });
    await seen(client);
    const { guild_id, ...idle } = shown(other, 'idle');
    client.send(8, { guild_id, user_ids: [String(other.id), String(guild.owner.id)], presences: true });
    expect((await client.event('GUILD_MEMBERS_CHUNK')).d.presences).toEqual([idle]);
    client.send(8, { guild_id, query: other.user.username, limit: 1, presences: true });
    expect((await client.event('GUILD_MEMBERS_CHUNK')).d.presences).toEqual([idle]);
    client.send(8, { guild_id, query: other.user.username, limit: 1 });
    expect((await client.event('GUILD_MEMBERS_CHUNK')).d).not.toHaveProperty('presences');
  });

  it('has an approximate count of online members', async () => {
    await session(other, { presence: { status: 'invisible' } });
    await session(watcher);
    const headers = { authorization: `Bot ${watcher.token}` };
    const ask = async (path: string) => (await fetch(`${server.origin}/api/v10${path}`, { headers })).json();
    expect(await ask(`/guilds/${guild.id}?with_counts=true`)).toMatchObject({ approximate_presence_count: 1 });
    expect(await ask('/users/@me/guilds?with_counts=true')).toMatchObject([{ approximate_presence_count: 1 }]);
    expect(await ask(`/guilds/${guild.id}/preview`)).toMatchObject({ approximate_presence_count: 1 });
    const { code } = await createInvite(callOf(server.app, guild.owner), guild.channel.id);
    const counts = { approximate_member_count: 3, approximate_presence_count: 1 };
    expect(await ask(`/invites/${code}?with_counts=true`)).toMatchObject(counts);
    expect(await ask(`/invites/${code}`)).not.toHaveProperty('approximate_presence_count');
  });
});
