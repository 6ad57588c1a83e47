import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterEach, beforeEach, expect } from 'vitest';
import {
  createChannel,
  deleteChannel,
  deleteChannelOverwrite,
  setChannelOverwrite,
  setChannelPositions,
  updateChannel,
} from '../../src/domain/channels/index.js';
import { setMemberRoles } from '../../src/domain/members/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { createRole } from '../../src/domain/roles/index.js';
import { it } from '../harness/fixtures.js';
import { type Frame, GatewayClient } from '../harness/gateway-client.js';
import type { TestServer } from '../harness/server.js';
import { callOf, createBotInGuild, say, type TestBot, type TestGuild } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;
let client: GatewayClient;
it.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  ({ bot, guild } = await createBotInGuild(server.app));
});
afterEach(() => client.close());

const owner = () => callOf(server.app, guild.owner);

async function connect(intents: number = Intent.Guilds | Intent.GuildMessages): Promise<Frame> {
  client = await GatewayClient.open(server.origin);
  client.identify(bot.token, { intents });
  await client.event('READY');
  return client.event('GUILD_CREATE');
}

const hidden = () => ({
  targetId: guild.id,
  targetType: 0 as const,
  allow: 0n,
  deny: Permission.ViewChannel,
});

async function sent(): Promise<Frame[]> {
  const { id } = await createChannel(owner(), guild.id, { name: 'the end' });
  const frames: Frame[] = [];
  for (;;) {
    const frame = await client.next(({ op }) => op === 0);
    if (frame.t === 'CHANNEL_CREATE' && frame.d.id === String(id)) return frames;
    frames.push(frame);
  }
}

it('G-51: a bot gets the channels that it cannot view, and the events about them', async () => {
  const { id } = await createChannel(owner(), guild.id, { name: 'hidden', overwrites: [hidden()] });
  const { d } = await connect();
  expect(d.channels.map(({ name }: { name: string }) => name)).toContain('hidden');
  await updateChannel(owner(), id, { name: 'still hidden' });
  await createChannel(owner(), guild.id, { name: 'hidden, too', overwrites: [hidden()] });
  await deleteChannel(owner(), id);
  expect((await sent()).map(({ t, d: shown }) => [t, shown.name])).toEqual([
    ['CHANNEL_UPDATE', 'still hidden'],
    ['CHANNEL_CREATE', 'hidden, too'],
    ['CHANNEL_DELETE', 'still hidden'],
  ]);
});

it('G-51, G-26: a channel that a bot may no longer view is updated only, and the new permissions count for the next event', async () => {
  await connect(Intent.Guilds | Intent.GuildMessages | Intent.MessageContent);
  const { id: channelId } = guild.channel;
  const speak = (content: string) => say(server.app, guild, guild.owner, content);
  await setChannelOverwrite(owner(), channelId, hidden());
  await speak('unseen');
  const seers = await createRole(owner(), guild.id, { name: 'seers', permissions: 0n });
  const seen = { targetId: seers.id, targetType: 0 as const, allow: Permission.ViewChannel, deny: 0n };
  await setChannelOverwrite(owner(), channelId, seen);
  await speak('unseen');
  await setMemberRoles(owner(), { guildId: guild.id, userId: bot.id, roleIds: [seers.id] });
  await speak('seen');
  await deleteChannelOverwrite(owner(), channelId, seers.id);
  await speak('unseen');
  const frames = await sent();
  const heard = frames.map(({ t, d }) => (t === 'MESSAGE_CREATE' ? d.content : t)).filter((t) => !t.includes('ROLE'));
  expect(heard).toEqual(['CHANNEL_UPDATE', 'CHANNEL_UPDATE', 'GUILD_MEMBER_UPDATE', 'seen', 'CHANNEL_UPDATE']);
});

it('G-51: a deleted category comes after the channels that were in it, and sorting sends an event for each moved channel', async () => {
  const { id: parentId } = await createChannel(owner(), guild.id, { name: 'category', type: 4 });
  const { id } = await createChannel(owner(), guild.id, { name: 'child', parentId });
  const { id: messageId } = await say(server.app, guild, guild.owner, 'hello');
  await connect(Intent.Guilds);
  await setChannelPositions(owner(), guild.id, [
    { channelId: id, position: 7 },
    { channelId: guild.channel.id, position: 8 },
    { channelId: parentId, position: 2 },
  ]);
  await deleteChannel(owner(), parentId);
  const shown = (await sent()).map(({ t, d }) => [t, d.name, d.position, d.parent_id, d.last_message_id]);
  expect(shown).toEqual([
    ['CHANNEL_UPDATE', 'general', 8, null, String(messageId)],
    ['CHANNEL_UPDATE', 'child', 7, String(parentId), null],
    ['CHANNEL_UPDATE', 'child', 7, null, null],
    ['CHANNEL_DELETE', 'category', 2, null, undefined],
  ]);
});
