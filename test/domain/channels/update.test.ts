import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import { ChannelEdit, createChannel, NewChannel, updateChannel } from '../../../src/domain/channels/index.js';
import { sendMessage } from '../../../src/domain/messages/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import { hearGuild } from '../../harness/bus.js';
import { faultsIn } from '../../harness/faults-in.js';
import { test } from '../../harness/fixtures.js';
import { callOf, createGuild, createChannel as putChannel, type TestGuild, toSend } from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
let owner: CallContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
  owner = callOf(app, guild.owner);
});

const edit = (channelId: bigint, input: object) => updateChannel(owner, channelId, parseInput(ChannelEdit, input));

const logged = (action: string) =>
  app.db.reader.auditEntry.findMany({ where: { guildId: guild.id, action }, orderBy: { id: 'asc' } });

test('given fields are changed, published with the newest message, and audited', async () => {
  const { id } = await sendMessage(owner, { channelId: guild.channel.id, body: toSend({ content: 'x' }) });
  const { events } = hearGuild({ app }, guild.id);
  const { channel, lastMessageId } = await edit(guild.channel.id, {
    name: 'news',
    topic: ' what is new ',
    nsfw: true,
    rateLimitPerUser: 5,
    position: 9,
  });
  const now = { name: 'news', topic: 'what is new', nsfw: true, rateLimitPerUser: 5, position: 9 };
  expect(channel).toMatchObject({ id: guild.channel.id, type: 0, ...now });
  expect(lastMessageId).toBe(id);
  expect(await app.db.reader.channel.findUnique({ where: { id: channel.id } })).toMatchObject(now);
  expect(events.map(({ type }) => type)).toEqual(['GUILD_AUDIT_LOG_ENTRY_CREATE', 'CHANNEL_UPDATE']);
  expect(JSON.parse(events[1]?.data ?? '')).toMatchObject({ name: 'news', last_message_id: String(id) });
  expect(await logged('CHANNEL_UPDATE')).toMatchObject([
    {
      targetId: channel.id,
      changes: {
        name: { old: 'general', new: 'news' },
        topic: { old: null, new: 'what is new' },
        nsfw: { old: false, new: true },
        rateLimitPerUser: { old: 0, new: 5 },
        position: { old: 0, new: 9 },
      },
    },
  ]);
});

test('an update without changes is neither published nor audited', async () => {
  const { events } = hearGuild({ app }, guild.id);
  await edit(guild.channel.id, {});
  await edit(guild.channel.id, { name: 'general', type: 0, topic: null, nsfw: false, overwrites: [], position: null });
  // A text channel does not have these settings.
  await edit(guild.channel.id, { bitrate: 8_000, userLimit: 5 });
  expect(events).toEqual([]);
  expect(await logged('CHANNEL_UPDATE')).toEqual([]);
});

test('null resets a setting, but keeps type, position and overwrites', async () => {
  const deny = { targetId: guild.id, targetType: 0, allow: 0n, deny: 1024n };
  const input = { name: 'voice', type: 2, nsfw: true, rateLimitPerUser: 9, bitrate: 8_000, userLimit: 4, position: 7 };
  const { id } = await createChannel(
    owner,
    guild.id,
    parseInput(NewChannel, { ...input, overwrites: [{ ...deny, deny: '1024' }] }),
  );
  const nulls = { type: null, position: null, overwrites: null };
  const { channel } = await edit(id, { ...nulls, nsfw: null, rateLimitPerUser: null, bitrate: null, userLimit: null });
  expect(channel).toMatchObject({
    type: 2,
    position: 7,
    overwrites: [deny],
    nsfw: false,
    rateLimitPerUser: 0,
    bitrate: 64_000,
    userLimit: 0,
  });
});

describe('the type', () => {
  test('changes between text and announcement, and settings that the new type lacks are lost', async () => {
    await edit(guild.channel.id, { topic: 'kept', rateLimitPerUser: 30 });
    const { channel } = await edit(guild.channel.id, { type: 5 });
    expect(channel).toMatchObject({ type: 5, topic: 'kept', rateLimitPerUser: 0 });
    expect((await edit(guild.channel.id, { type: 0 })).channel.type).toBe(0);
  });

  test.each([
    [0, 2],
    [2, 0],
    [0, 4],
    [4, 5],
  ])('does not change from %i to %i', async (from, to) => {
    const { id } = await putChannel(app, guild.id, 'x', from);
    const fields = [expect.objectContaining({ path: 'type', code: 'BASE_TYPE_CHOICES' })];
    await expect(edit(id, { type: to })).rejects.toMatchObject({ code: 'INVALID_INPUT', fields });
  });
});

describe('the category', () => {
  test('must belong to the guild, have room, and contain no category', async () => {
    const { id: parentId } = await putChannel(app, guild.id, 'category', 4);
    const { id: other } = await putChannel(app, guild.id, 'another', 4);
    expect((await edit(guild.channel.id, { parentId: String(parentId) })).channel.parentId).toBe(parentId);
    expect((await edit(guild.channel.id, { parentId: null })).channel.parentId).toBeNull();
    const elsewhere = await putChannel(app, (await createGuild(app)).id, 'elsewhere', 4);
    const refused = async (channelId: bigint, id: bigint, code: string) =>
      expect(await edit(channelId, { parentId: id }).catch((error) => error.fields)).toMatchObject([
        { path: 'parentId', code },
      ]);
    await refused(guild.channel.id, elsewhere.id, 'CHANNEL_PARENT_INVALID');
    await refused(guild.channel.id, 1n, 'CHANNEL_PARENT_INVALID');
    await refused(guild.channel.id, guild.channel.id, 'CHANNEL_PARENT_INVALID_TYPE');
    await refused(other, parentId, 'CHANNEL_PARENT_INVALID');
    const data = Array.from({ length: 50 }, () => ({ id: app.nextId(), guildId: guild.id, name: 'x', parentId }));
    await app.db.writer.channel.createMany({ data });
    await refused(guild.channel.id, parentId, 'CHANNEL_PARENT_MAX_CHANNELS');
  });
});

test.each([
  ['name', { name: '' }],
  ['name', { name: null }],
  ['name', { name: 'x'.repeat(101) }],
  ['type', { type: 1 }],
  ['topic', { topic: 'x'.repeat(1_025) }],
  ['nsfw', { nsfw: 'yes' }],
  ['rateLimitPerUser', { rateLimitPerUser: 21_601 }],
  ['rateLimitPerUser', { rateLimitPerUser: -1 }],
  ['bitrate', { bitrate: 7_999 }],
  ['bitrate', { bitrate: 96_001 }],
  ['userLimit', { userLimit: 100 }],
  ['position', { position: 2 ** 31 }],
  ['position', { position: 1.5 }],
  ['parentId', { parentId: 'x' }],
  ['overwrites', { overwrites: {} }],
  ['overwrites', { overwrites: Array(101).fill({ targetId: '1' }) }],
  ['overwrites.0.targetId', { overwrites: [{}] }],
  ['overwrites.0.targetType', { overwrites: [{ targetId: '1', targetType: 2 }] }],
  ['overwrites.0.allow', { overwrites: [{ targetId: '1', allow: '-1' }] }],
  ['overwrites.0.deny', { overwrites: [{ targetId: '1', deny: 1.5 }] }],
])('an invalid %s is refused with its path: %j', (path, input) => {
  expect(faultsIn(ChannelEdit, input)).toMatchObject([{ path }]);
});

test('a channel that is unknown or hidden from the caller is not found', async () => {
  const stranger = callOf(app, (await createGuild(app)).owner);
  for (const call of [stranger, owner]) {
    const id = call === owner ? 1n : guild.channel.id;
    await expect(updateChannel(call, id, { name: 'x' })).rejects.toMatchObject({ code: 'UNKNOWN_CHANNEL' });
  }
});
