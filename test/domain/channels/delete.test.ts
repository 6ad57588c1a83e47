import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import { createChannel, deleteChannel, getChannel, setChannelOverwrite } from '../../../src/domain/channels/index.js';
import { removeChannel } from '../../../src/domain/channels/remove.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { listMessages, sendMessage } from '../../../src/domain/messages/index.js';
import { hearGuild } from '../../harness/bus.js';
import { toldBy } from '../../harness/calls.js';
import { entry, OF_CHANNEL, putCommand, putPermissions, saidOf } from '../../harness/command-rows.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createDirectChannel } from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import { callOf, createBot, createGuild, type TestGuild, toSend } from '../../harness/world.js';

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

const remove = (id: bigint, signal = new AbortController().signal) => removeChannel(app.db, app.blobs, id, signal);

const say = async (channelId: bigint) => (await sendMessage(owner, { channelId, body: toSend({ content: 'x' }) })).id;

test('a deleted channel is published and audited, and can no longer be found', async () => {
  const channelId = guild.channel.id;
  const said = { targetId: guild.id, targetType: 0 as const, allow: 0n, deny: 2048n };
  await setChannelOverwrite(owner, channelId, said);
  const messageId = await say(channelId);
  const { events } = hearGuild({ app }, guild.id);
  const deleted = await deleteChannel(owner, channelId);
  expect(deleted).toMatchObject({ channel: { id: channelId, guildId: guild.id, overwrites: [said] } });
  expect(events.map(({ type }) => type)).toEqual([
    // The channel was the system channel of the guild.
    'GUILD_UPDATE',
    'GUILD_AUDIT_LOG_ENTRY_CREATE',
    'CHANNEL_DELETE',
  ]);
  expect(JSON.parse(events[2]?.data ?? '')).toMatchObject({
    id: String(channelId),
    guild_id: String(guild.id),
    name: 'general',
    last_message_id: String(messageId),
    permission_overwrites: [{ id: String(guild.id), deny: '2048' }],
  });
  const where = { guildId: guild.id, action: 'CHANNEL_DELETE' };
  expect(await app.db.reader.auditEntry.findMany({ where })).toMatchObject([
    {
      targetId: channelId,
      changes: { name: 'general', type: 0, overwrites: [{ id: String(guild.id), deny: '2048' }] },
    },
  ]);
  expect((await app.guilds.view(guild.id))?.channels.has(channelId)).toBe(false);
  expect(await app.guilds.channel(guild.id, channelId)).toBeNull();
  expect(await outcome(getChannel(owner, channelId))).toBe('UNKNOWN_CHANNEL');
  expect(await outcome(deleteChannel(owner, channelId))).toBe('UNKNOWN_CHANNEL');
  expect(await outcome(listMessages(owner, { channelId, limit: 1 }))).toBe('UNKNOWN_CHANNEL');
});

test('deleting a channel deletes its invites and greetings, and clears it from the guild', async () => {
  const channelId = guild.channel.id;
  await createInvite(owner, channelId);
  await app.db.writer.greeting.create({ data: { guildId: guild.id, kind: 'WELCOME', channelId, message: 'hi' } });
  await app.db.writer.guild.update({ where: { id: guild.id }, data: { systemChannelId: channelId } });
  const { events } = hearGuild({ app }, guild.id);
  await deleteChannel(owner, channelId);
  expect(await app.db.reader.invite.count({ where: { guildId: guild.id } })).toBe(0);
  expect(await app.db.reader.greeting.count({ where: { guildId: guild.id } })).toBe(0);
  const told = events.filter(({ type }) => type === 'GUILD_UPDATE').map(({ data }) => JSON.parse(data));
  expect(told).toMatchObject([{ id: String(guild.id), afk_channel_id: null }]);
  expect(await app.db.reader.guild.findUnique({ where: { id: guild.id } })).toMatchObject({ systemChannelId: null });
});

test('deleting a channel removes it from command permissions and publishes the change', async () => {
  const channelId = guild.channel.id;
  const { id: applicationId } = await createBot(app, { owner: guild.owner });
  const { id: commandId } = await putCommand(app, applicationId);
  const key = { guildId: guild.id, applicationId, commandId };
  await putPermissions(app, key, entry(OF_CHANNEL, channelId), entry(OF_CHANNEL, guild.id - 1n, false));
  const { events } = await toldBy(owner, (call) => deleteChannel(call, channelId));
  expect(await saidOf(app, guild.id, commandId)).toEqual([`3 ${guild.id - 1n} no`]);
  const entries = [{ targetId: guild.id - 1n, targetType: 3, allow: false }];
  expect(events).toContainEqual({ type: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE', permissions: { ...key, entries } });
  expect(events).toContainEqual({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
});

test('deleting a category keeps its channels, and publishes their changes before the deletion', async () => {
  const { id: parentId } = await createChannel(owner, guild.id, { name: 'category', type: 4 });
  const children = [
    await createChannel(owner, guild.id, { name: 'a', parentId }),
    await createChannel(owner, guild.id, { name: 'b', parentId }),
  ];
  const { events } = hearGuild({ app }, guild.id);
  await deleteChannel(owner, parentId);
  const told = events.filter(({ type }) => type.startsWith('CHANNEL_'));
  expect(told.map(({ type, data }) => [type, JSON.parse(data).id, JSON.parse(data).parent_id])).toEqual([
    ...children.map(({ id }) => ['CHANNEL_UPDATE', String(id), null]),
    ['CHANNEL_DELETE', String(parentId), null],
  ]);
  expect(await app.db.reader.channel.count({ where: { guildId: guild.id, parentId: null } })).toBe(4);
});

test('deleting a channel takes the same number of statements for few and many messages', async () => {
  const many = (await createChannel(owner, guild.id, { name: 'many' })).id;
  const one = (await createChannel(owner, guild.id, { name: 'one' })).id;
  await say(one);
  await putMessages(many, 120);
  const statementsToDelete = async (id: bigint) => {
    // Fills the guild cache.
    await getChannel(owner, id);
    return (await statementsOf(() => deleteChannel(owner, id))).length;
  };
  const few = await statementsToDelete(one);
  expect(few).toBeLessThan(20);
  const more = await statementsToDelete(many);
  expect(more).toBe(few);
});

async function putMessages(channelId: bigint, count: number): Promise<bigint[]> {
  const data = Array.from({ length: count }, () => ({
    id: app.nextId(),
    channelId,
    authorId: guild.owner.id,
    content: 'x',
    embeds: [],
    components: [],
    mentionUserIds: [],
    mentionRoleIds: [],
  }));
  await app.db.writer.message.createMany({ data });
  return data.map(({ id }) => id);
}

describe('the job that removes a channel', () => {
  const jobs = () => app.db.reader.job.findMany({ where: { kind: 'remove-channel' } });

  test('is added with the deletion', async () => {
    await deleteChannel(owner, guild.channel.id);
    const id = String(guild.channel.id);
    expect(await jobs()).toContainEqual(
      expect.objectContaining({ key: `remove-channel ${id}`, payload: { channelId: id } }),
    );
  });

  test('removes messages with their files in batches, and then the channel', async () => {
    const channelId = guild.channel.id;
    const [first = 0n] = await putMessages(channelId, 120);
    const other = await say((await createChannel(owner, guild.id, { name: 'other' })).id);
    const file = { id: app.nextId(), messageId: first, filename: 'a.txt', contentType: 'text/plain', size: 1 };
    await app.db.writer.attachment.create({ data: file });
    const key = `attachments/${channelId}/${first}/${file.id}`;
    const { Readable } = await import('node:stream');
    await (await app.blobs.stage(Readable.from([Buffer.from('x')]))).keep(key);
    const until = new Date(app.clock.now());
    await app.db.writer.slowMode.create({ data: { channelId, userId: guild.owner.id, until } });
    await deleteChannel(owner, channelId);
    const statements = await statementsOf(() => remove(channelId));
    expect(statements.filter((sql) => /DELETE FROM .*"?Message"?`? /i.test(sql)).length).toBeGreaterThan(1);
    expect(await app.blobs.size(key)).toBeNull();
    expect(await app.db.reader.message.count({ where: { channelId } })).toBe(0);
    expect(await app.db.reader.attachment.count({ where: { id: file.id } })).toBe(0);
    expect(await app.db.reader.channel.findUnique({ where: { id: channelId } })).toBeNull();
    expect(await app.db.reader.message.count({ where: { id: other } })).toBe(1);
    await remove(channelId);
  });

  test('continues after an interrupted run', async () => {
    const channelId = guild.channel.id;
    await putMessages(channelId, 60);
    await deleteChannel(owner, channelId);
    const stopped = new AbortController();
    stopped.abort(new Error('stopped'));
    await expect(remove(channelId, stopped.signal)).rejects.toThrow('stopped');
    expect(await app.db.reader.channel.count({ where: { id: channelId } })).toBe(1);
    await remove(channelId);
    expect(await app.db.reader.channel.count({ where: { id: channelId } })).toBe(0);
  });

  test('ignores a channel that is not deleted', async () => {
    await say(guild.channel.id);
    await remove(guild.channel.id);
    expect(await app.db.reader.message.count({ where: { channelId: guild.channel.id } })).toBe(1);
    const direct = await createDirectChannel(app);
    await app.db.writer.channelRecipient.create({ data: { channelId: direct.id, userId: guild.owner.id } });
    await remove(direct.id);
    expect(await app.db.reader.channel.count({ where: { id: direct.id } })).toBe(1);
  });
});
