import { expect } from 'vitest';
import { addReaction, deleteMessage, deleteMessages, pinMessage } from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS } from '../../../src/domain/permissions.js';
import { snowflakeAt } from '../../../src/infra/ids/ids.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createDirectChannel } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { createChannel, say } from '../../harness/world.js';
import { openRoom, type Room } from './scene.js';

let server: TestServer;
let room: Room;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  room = await openRoom(server);
  await room.permit(ALL_PERMISSIONS);
});

const remove = (messageIds: bigint[]) => deleteMessages(room.bot, { channelId: room.channelId, messageIds });
const sayMany = async (count: number) => {
  const ids: bigint[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await room.say());
  return ids;
};
const left = (ids: bigint[]) => server.app.db.reader.message.count({ where: { id: { in: ids } } });

test('several messages are deleted at once with their reactions and pins, in one event and one audit entry', async () => {
  const ids = await sayMany(3);
  const [first = 0n] = ids;
  await addReaction(room.bob, { channelId: room.channelId, messageId: first, emoji: '👍' });
  await pinMessage(room.bob, { channelId: room.channelId, messageId: first });
  room.events.length = 0;
  await deleteMessages(room.bot, { channelId: room.channelId, messageIds: ids });
  expect(await left(ids)).toBe(0);
  expect(await server.app.db.reader.pin.count({ where: { messageId: first } })).toBe(0);
  expect(room.events.map(({ type }) => type)).toEqual(['GUILD_AUDIT_LOG_ENTRY_CREATE', 'MESSAGE_DELETE_BULK']);
  expect(JSON.parse(room.events[1]?.data ?? '')).toEqual({
    ids: expect.arrayContaining(ids.map(String)),
    channel_id: String(room.channelId),
    guild_id: String(room.guild.id),
  });
  expect(JSON.parse(room.events[0]?.data ?? '')).toMatchObject({
    action_type: 73,
    target_id: String(room.channelId),
    options: { count: '3' },
  });
});

test('unknown ids, and ids of other channels, count and are ignored', async () => {
  const other = await createChannel(server.app, room.guild.id, 'other');
  const { id: elsewhere } = await say(server.app, { channel: other }, room.guild.owner, 'stays');
  const id = await room.say();
  await remove([id, elsewhere, server.app.nextId()]);
  expect([await left([id]), await left([elsewhere])]).toEqual([0, 1]);
  room.events.length = 0;
  await remove([server.app.nextId(), elsewhere]);
  expect(room.events).toEqual([]);
});

test.each([
  ['one', () => sayMany(1), 'BULK_DELETE_COUNT'],
  ['none', async () => [], 'BULK_DELETE_COUNT'],
  ['101', async () => Array.from({ length: 101 }, () => server.app.nextId()), 'BULK_DELETE_COUNT'],
  ['one that stands there twice', async () => [...(await sayMany(1)), 5n, 5n], 'INVALID_INPUT'],
  [
    'one that is older than two weeks, whether or not it is there,',
    async () => [...(await sayMany(1)), snowflakeAt(server.app.clock.now() - 14 * 86_400_000 - 1)],
    'BULK_DELETE_TOO_OLD',
  ],
] as const)('%s is refused, and nothing is deleted', async (_, make, code) => {
  const ids: bigint[] = [...(await make())];
  const there = await left(ids);
  expect(await outcome(remove(ids))).toBe(code);
  expect(await left(ids)).toBe(there);
});

test('bulk deletion is refused in a direct channel', async () => {
  const { id: channelId } = await createDirectChannel(server.app, room.users.ada, room.users.bot);
  const messageIds = [server.app.nextId(), server.app.nextId()];
  expect(await outcome(deleteMessages(room.bot, { channelId, messageIds }))).toBe('DIRECT_CHANNEL');
});

test('each message is published once for ten bulk deletions at once, together with single deletions', async () => {
  const ids = await sayMany(4);
  room.events.length = 0;
  const results = await Promise.all([
    ...Array.from({ length: 10 }, () => outcome(remove(ids))),
    ...ids.map((messageId) => outcome(deleteMessage(room.ada, { channelId: room.channelId, messageId }))),
  ]);
  for (const result of results.slice(0, 10)) expect(result).toBe('ok');
  for (const result of results.slice(10)) expect(['ok', 'UNKNOWN_MESSAGE']).toContain(result);
  const told = room.events.flatMap(({ type, data }) => {
    const d = JSON.parse(data);
    return type === 'MESSAGE_DELETE' ? [d.id] : type === 'MESSAGE_DELETE_BULK' ? d.ids : [];
  });
  expect(told.toSorted()).toEqual(ids.map(String).toSorted());
  expect(await left(ids)).toBe(0);
});
