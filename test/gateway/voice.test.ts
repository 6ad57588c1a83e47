import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leaveGuild } from '../../src/domain/guilds/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { ManualClock } from '../harness/clock.js';
import { ALL_INTENTS, GatewayClient } from '../harness/gateway-client.js';
import { permitEveryone } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import {
  addMember,
  callOf,
  createBot,
  createBotInGuild,
  createChannel,
  type TestBot,
  type TestGuild,
} from '../harness/world.js';

const clock = new ManualClock();
let server: TestServer;
let watcher: TestBot;
let other: TestBot;
let guild: TestGuild;
let voice: string;
const clients: GatewayClient[] = [];

beforeAll(async () => {
  server = await startServer({ clock });
});
afterAll(() => server.stop());
beforeEach(async () => {
  ({ bot: watcher, guild } = await createBotInGuild(server.app));
  other = await createBot(server.app);
  await addMember(server.app, guild.id, other.user);
  const channel = await server.app.db.reader.channel.findFirstOrThrow({ where: { guildId: guild.id, type: 2 } });
  voice = String(channel.id);
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

async function session({ token }: TestBot, more: object = {}): Promise<GatewayClient> {
  clock.advance(5_000);
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  await client.ready(token, more);
  return client;
}

const ask = (client: GatewayClient, channel_id: string | null, more: object = {}) =>
  client.send(4, { guild_id: String(guild.id), channel_id, self_mute: false, self_deaf: false, ...more });
const heard = async (client: GatewayClient) => (await client.event('VOICE_STATE_UPDATE')).d;
const sessionIdOf = (client: GatewayClient) => client.frames.find(({ t }) => t === 'READY')!.d.session_id;

describe('G-41 voice', () => {
  it('G-41 joining is sent to all sessions with the intent, and the joining session gets a server without an address', async () => {
    const client = await session(watcher);
    const bot = await session(other);
    ask(bot, voice, { self_deaf: true });
    const state = await heard(client);
    expect(state).toEqual({
      guild_id: String(guild.id),
      channel_id: voice,
      user_id: String(other.id),
      session_id: sessionIdOf(bot),
      deaf: false,
      mute: false,
      self_deaf: true,
      self_mute: false,
      self_video: false,
      suppress: false,
      self_stream: false,
      request_to_speak_timestamp: null,
      member: expect.objectContaining({ user: expect.objectContaining({ id: String(other.id) }) }),
    });
    expect(await heard(bot)).toEqual(state);
    for (const { t } of [...(await bot.settled()), ...(await client.settled())])
      expect(t).not.toBe('VOICE_SERVER_UPDATE');
  });

  it('G-41 moving and leaving are one update each, and a request without a change has no answer', async () => {
    const { id } = await createChannel(server.app, guild.id, 'Second', 2);
    const bot = await session(other);
    ask(bot, voice);
    await heard(bot);
    ask(bot, voice);
    ask(bot, String(id));
    expect((await heard(bot)).channel_id).toBe(String(id));
    ask(bot, null);
    expect((await heard(bot)).channel_id).toBeNull();
    ask(bot, null);
    expect((await bot.settled()).filter(({ t }) => t === 'VOICE_STATE_UPDATE')).toEqual([]);
  });

  it.each([
    ['a text channel', () => String(guild.channel.id)],
    ['a channel that is not there', () => '42'],
    ['an id beyond 64 bits', () => '99999999999999999999'],
  ])('G-41 has no answer to %s', async (_, channelId) => {
    const bot = await session(other);
    ask(bot, channelId());
    ask(bot, voice);
    expect((await heard(bot)).channel_id).toBe(voice);
  });

  it('G-41 needs Connect, and room in the channel', async () => {
    await permitEveryone(server.app, guild.id, Permission.ViewChannel);
    const bot = await session(other);
    ask(bot, voice);
    ask(bot, null);
    await bot.settled();
    await permitEveryone(server.app, guild.id, Permission.ViewChannel | Permission.Connect);
    await server.app.db.writer.channel.update({ where: { id: BigInt(voice) }, data: { userLimit: 1 } });
    const first = await session(watcher);
    ask(first, voice);
    await heard(first);
    ask(bot, voice);
    await bot.settled();
    expect(await server.app.db.reader.voiceState.count({ where: { channelId: BigInt(voice) } })).toBe(1);
    await permitEveryone(server.app, guild.id, Permission.ViewChannel | Permission.Connect | Permission.MoveMembers);
    ask(bot, voice);
    expect(
      (await bot.next(({ t, d }) => t === 'VOICE_STATE_UPDATE' && d.user_id === String(other.id))).d.channel_id,
    ).toBe(voice);
  });

  it('G-59 ends with the connection of the session, and with the membership', async () => {
    const client = await session(watcher);
    const bot = await session(other);
    ask(bot, voice);
    expect((await heard(client)).channel_id).toBe(voice);
    bot.socket.terminate();
    expect(await heard(client)).toMatchObject({ channel_id: null, user_id: String(other.id), member: { mute: false } });
    const again = await session(other);
    ask(again, voice);
    await heard(client);
    await leaveGuild(callOf(server.app, other.user), guild.id);
    const left = await heard(client);
    expect(left).toMatchObject({ channel_id: null, user_id: String(other.id) });
    expect(left).not.toHaveProperty('member');
  });

  it('G-22 GUILD_CREATE has the voice states and their members, with the voice intent only', async () => {
    const bot = await session(other);
    ask(bot, voice);
    await heard(bot);
    const created = async (intents: number) =>
      (await session(watcher, { intents })).frames.find(({ t }) => t === 'GUILD_CREATE')!.d;
    const { voice_states, members } = await created(Intent.Guilds | Intent.GuildVoiceStates);
    expect(voice_states).toMatchObject([
      { channel_id: voice, user_id: String(other.id), session_id: sessionIdOf(bot) },
    ]);
    expect(voice_states[0]).not.toHaveProperty('guild_id');
    expect(members.map(({ user }: { user: { id: string } }) => user.id).sort()).toEqual(
      [watcher.id, other.id].map(String).sort(),
    );
    const without = await created(ALL_INTENTS & ~Intent.GuildVoiceStates & ~Intent.GuildPresences);
    expect([without.voice_states, without.members.length]).toEqual([[], 1]);
  });
});
