import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ChannelType, Client as DiscordClient, Events, GatewayIntentBits, Partials } from 'discord.js';
import Eris from 'eris';
import { Client as OceanicClient } from 'oceanic.js';
import { ApiHandler, Client as SeyfertClient } from 'seyfert';
import { describe, expect } from 'vitest';
import { openDirectChannel } from '../../src/domain/channels/index.js';
import { leaveGuild } from '../../src/domain/guilds/index.js';
import { addReaction, deleteMessage, sendMessage, startTyping } from '../../src/domain/messages/index.js';
import { ALL_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import { noDiscordPy, PYTHON } from '../harness/discord-py.js';
import { it } from '../harness/fixtures.js';
import { permitEveryone } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import {
  addMember,
  callOf,
  createBot,
  createBotInGuild,
  createGuild,
  joinGuildAs,
  say,
  type TestBot,
  type TestGuild,
  toSend,
} from '../harness/world.js';
import { startTlsFront } from './tls-front.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ({ bot, guild } = await createBotInGuild(server.app, 'Library'));
});

const guildId = () => String(guild.id);
const speak = (text: string) => say(server.app, guild, guild.owner, text);

describe('an unmodified library is ready, knows the guild and gets a message', () => {
  it('discord.js', async () => {
    const client = new DiscordClient({
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
      rest: { api: `${server.origin}/api` },
    });
    const ready = once(client, Events.ClientReady);
    await client.login(bot.token);
    await ready;
    const known = client.guilds.cache.get(guildId());
    expect(known?.name).toBe('Library');
    expect(known?.members.me?.id).toBe(String(bot.id));
    expect(client.channels.cache.has(String(guild.channel.id))).toBe(true);
    const heard = once(client, Events.MessageCreate);
    await speak('to discord.js');
    expect((await heard)[0].content).toBe('to discord.js');
    await client.destroy();
  });

  it('discord.js caches presences and voice states', async () => {
    const { bot: watcher, guild: watched } = await createBotInGuild(server.app, 'Watched');
    const other = await createBot(server.app);
    await addMember(server.app, watched.id, other.user);
    const { Guilds, GuildMembers, GuildPresences, GuildVoiceStates } = GatewayIntentBits;
    const login = async (token: string) => {
      const client = new DiscordClient({
        intents: [Guilds, GuildMembers, GuildPresences, GuildVoiceStates],
        rest: { api: `${server.origin}/api` },
      });
      const ready = once(client, Events.ClientReady);
      await client.login(token);
      await ready;
      return client;
    };
    const { ViewChannel, Connect, MoveMembers, MuteMembers } = Permission;
    await permitEveryone(server.app, watched.id, ViewChannel | Connect | MoveMembers | MuteMembers);
    const client = await login(watcher.token);
    const known = client.guilds.cache.get(String(watched.id))!;
    const cameBy = once(client, Events.PresenceUpdate);
    const seen = await login(other.token);
    expect((await cameBy)[1].status).toBe('online');
    const changed = once(client, Events.PresenceUpdate);
    seen.user!.setPresence({ status: 'dnd', activities: [{ name: 'chess' }] });
    await changed;
    const presence = known.presences.cache.get(String(other.id));
    expect([presence?.status, presence?.activities[0]?.name, presence?.clientStatus]).toEqual([
      ...['dnd', 'chess'],
      { web: 'dnd' },
    ]);
    const voice = known.channels.cache.find(({ type }) => type === ChannelType.GuildVoice)!;
    const joined = once(client, Events.VoiceStateUpdate);
    const shard = Reflect.get(seen.ws, '_ws');
    const state = { guild_id: known.id, channel_id: voice.id, self_mute: true, self_deaf: false };
    await shard.send(0, { op: 4, d: state });
    await joined;
    const member = await known.members.fetch(String(other.id));
    expect([member.voice.channelId, member.voice.selfMute]).toEqual([voice.id, true]);
    await member.voice.setMute(true);
    await member.voice.disconnect();
    await expect.poll(() => member.voice.channelId).toBeNull();
    await leaveGuild(callOf(server.app, other.user), watched.id);
    known.presences.cache.clear();
    const back = once(client, Events.PresenceUpdate);
    await joinGuildAs(server.app, watched.id, other.user);
    expect((await back)[1].member?.presence?.status).toBe('dnd');
    const gone = once(client, Events.PresenceUpdate);
    await seen.destroy();
    expect((await gone)[1].status).toBe('offline');
    await client.destroy();
  });

  it('discord.js writes to a user in a direct channel, pins there and closes it', async () => {
    const { DirectMessages, DirectMessageReactions, DirectMessageTyping } = GatewayIntentBits;
    const client = new DiscordClient({
      intents: [DirectMessages, DirectMessageReactions, DirectMessageTyping],
      partials: [Partials.Channel],
      rest: { api: `${server.origin}/api` },
    });
    const ready = once(client, Events.ClientReady);
    await client.login(bot.token);
    await ready;
    const asOwner = callOf(server.app, guild.owner);
    const { channel } = await openDirectChannel(asOwner, bot.id);
    const place = { channelId: channel.id };
    const heard = once(client, Events.MessageCreate);
    const { id: messageId } = await sendMessage(asOwner, { ...place, body: toSend({ content: 'between us' }) });
    const [message] = await heard;
    expect(message).toMatchObject({ content: 'between us', guildId: null, channel: { type: ChannelType.DM } });
    const answered = await message.reply('heard');
    expect(answered.reference.messageId).toBe(String(messageId));
    const typed = once(client, Events.TypingStart);
    await startTyping(asOwner, place);
    expect((await typed)[0].user.id).toBe(String(guild.owner.id));
    const reacted = once(client, Events.MessageReactionAdd);
    await addReaction(asOwner, { ...place, messageId: BigInt(answered.id), emoji: '👍' });
    expect((await reacted)[0].message.id).toBe(answered.id);
    const pinned = once(client, Events.ChannelPinsUpdate);
    await message.pin();
    expect((await pinned)[0].id).toBe(String(channel.id));
    const opened = await client.users.createDM(String(guild.owner.id));
    expect(opened.recipientId).toBe(String(guild.owner.id));
    const pins = await opened.messages.fetchPins();
    expect(pins.items.map((pin) => pin.message.id)).toEqual([String(messageId)]);
    const deleted = once(client, Events.MessageDelete);
    await deleteMessage(asOwner, { ...place, messageId });
    expect((await deleted)[0].id).toBe(String(messageId));
    await opened.delete();
    await client.destroy();
  });

  it('discord.js deletes several messages at once', async () => {
    const client = new DiscordClient({
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages],
      rest: { api: `${server.origin}/api` },
    });
    await permitEveryone(server.app, guild.id, ALL_PERMISSIONS);
    const ready = once(client, Events.ClientReady);
    await client.login(bot.token);
    await ready;
    const channel = await client.channels.fetch(String(guild.channel.id));
    if (!channel?.isTextBased() || channel.isDMBased()) throw new Error('the channel is not of a guild');
    const ids = [await speak('one'), await speak('two')].map(({ id }) => String(id));
    const heard = once(client, Events.MessageBulkDelete);
    expect([...(await channel.bulkDelete(ids)).keys()].toSorted()).toEqual(ids.toSorted());
    expect((await heard)[1].id).toBe(channel.id);
    await client.destroy();
  });

  it('discord.js fetches members and resumes after a lost connection', async () => {
    const client = new DiscordClient({
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers, GatewayIntentBits.GuildMessages],
      rest: { api: `${server.origin}/api` },
    });
    const ready = once(client, Events.ClientReady);
    await client.login(bot.token);
    await ready;
    const members = await client.guilds.cache.get(guildId())!.members.fetch();
    expect([...members.keys()].sort()).toEqual([String(bot.id), String(guild.owner.id)].sort());
    const resumed = once(client, Events.ShardResume);
    Reflect.get(client.ws, '_ws').strategy.shards.get(0).connection.terminate();
    await resumed;
    const heard = once(client, Events.MessageCreate);
    await speak('after resuming');
    await heard;
    await client.destroy();
  });

  it('discord.js fetches all members of several guilds, and rejects a repeated fetch with the time to wait', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    const { bot: fetching } = await createBotInGuild(limited.app);
    await addMember(limited.app, (await createGuild(limited.app)).id, fetching.user);
    const client = new DiscordClient({
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers],
      rest: { api: `${limited.origin}/api` },
    });
    const ready = once(client, Events.ClientReady);
    await client.login(fetching.token);
    await ready;
    const guilds = [...client.guilds.cache.values()];
    const fetched = await Promise.all(guilds.map(({ members }) => members.fetch()));
    expect(fetched.map(({ size }) => size)).toEqual([2, 2]);
    const refusal = { name: 'GatewayRateLimitError', data: { opcode: 8, retry_after: expect.any(Number) } };
    await expect(guilds[0]!.members.fetch()).rejects.toMatchObject(refusal);
    await client.destroy();
    await limited.stop();
  });

  it('oceanic.js', async () => {
    const client = new OceanicClient({
      auth: `Bot ${bot.token}`,
      rest: { baseURL: `${server.origin}/api/v10` },
      gateway: {
        intents: ['GUILDS', 'GUILD_MESSAGES', 'MESSAGE_CONTENT'],
      },
    });
    client.on('error', () => {});
    const ready = once(client, 'ready');
    await client.connect();
    await ready;
    expect(client.guilds.get(guildId())?.name).toBe('Library');
    const heard = once(client, 'messageCreate');
    await speak('to oceanic');
    expect((await heard)[0].content).toBe('to oceanic');
    client.disconnect(false);
  });

  it('eris, whose REST client speaks https only and gets the address by configuration', async () => {
    const client = Eris(`Bot ${bot.token}`, { intents: ['guilds', 'guildMessages'], restMode: false });
    client.getBotGateway = async () => ({
      url: server.app.addresses.gatewayUrl,
      shards: 1,
      session_start_limit: { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 },
    });
    client.on('error', () => {});
    client.editStatus('idle', { name: 'chess' });
    const ready = once(client, 'ready');
    await client.connect();
    await ready;
    expect(client.guilds.get(guildId())?.name).toBe('Library');
    const heard = once(client, 'messageCreate');
    await speak('to eris');
    await heard;
    client.disconnect({ reconnect: false });
  });

  it('seyfert, which speaks TLS only', async () => {
    const front = await startTlsFront(server.origin);
    const client = new SeyfertClient({
      getRC: () => ({
        token: bot.token,
        intents: GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.MessageContent,
        locations: { base: '' },
      }),
    });
    client.setServices({ rest: new ApiHandler({ token: bot.token, domain: server.origin }) });
    const heard = new Promise<string>((resolve) => {
      client.events.values = {
        GUILDS_READY: { data: { name: 'guildsReady', once: false }, run: () => speak('to seyfert') },
        MESSAGE_CREATE: {
          data: { name: 'messageCreate', once: false },
          run: (message: { content: string }) => resolve(message.content),
        },
      } as never;
    });
    await client.start();
    expect(await heard).toBe('to seyfert');
    client.gateway.disconnectAll();
    front.stop();
  });

  it.skipIf(noDiscordPy)(needing(noDiscordPy, 'discord.py'), async () => {
    const script = fileURLToPath(new URL('./discord_py_bot.py', import.meta.url));
    const child = spawn(PYTHON, [script], {
      env: { ORIGIN: server.origin, BOT_TOKEN: bot.token, GUILD_ID: guildId() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    let output = '';
    for await (const text of child.stdout) {
      output += text;
      if (String(text).includes('members')) speak('to discord.py');
    }
    await exit;
    expect(output.split('\n').filter(Boolean)).toEqual(['ready Library', 'members 2', 'heard to discord.py']);
  });
});
