import { MessageType } from 'discord-api-types/v10';
import { beforeEach, expect } from 'vitest';
import {
  deleteMessage,
  editMessage,
  getMessage,
  listMessages,
  listPins,
  pinMessage,
  unpinMessage,
} from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import type { TestServer } from '../../harness/server.js';
import { openRoom, type Room, toEdit } from './scene.js';

let server: TestServer;
let room: Room;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
  await room.permit(ALL_PERMISSIONS);
});

const at = (messageId: bigint) => ({ channelId: room.channelId, messageId });
const pinnedIds = async (limit = 50) =>
  (await listPins(room.bot, { channelId: room.channelId, limit })).items.map(({ message }) => message.id);
const pinCount = () => server.app.db.reader.pin.count({ where: { channelId: room.channelId } });

async function putPins(count: number): Promise<void> {
  const { app } = server;
  const ids = Array.from({ length: count }, () => app.nextId());
  const message = { channelId: room.channelId, authorId: room.users.ada.id, content: 'x', pinned: true };
  const lists = { embeds: [], components: [], mentionUserIds: [], mentionRoleIds: [] };
  await app.db.writer.message.createMany({ data: ids.map((id) => ({ id, ...message, ...lists })) });
  const data = ids.map((messageId, n) => ({ messageId, channelId: room.channelId, pinnedAt: new Date(n + 1) }));
  await app.db.writer.pin.createMany({ data });
}

test('a message is pinned with a notice that refers to it, two events and an audit entry', async () => {
  const messageId = await room.say('read this');
  room.events.length = 0;
  await pinMessage(room.bob, at(messageId));
  expect((await getMessage(room.bot, at(messageId))).pinned).toBe(true);
  expect(room.events.map(({ type }) => type)).toEqual([
    'GUILD_AUDIT_LOG_ENTRY_CREATE',
    'MESSAGE_UPDATE',
    'CHANNEL_PINS_UPDATE',
    'MESSAGE_CREATE',
  ]);
  const [entry, updated, pins, notice] = room.events.map(({ data }) => JSON.parse(data));
  expect(entry).toMatchObject({
    action_type: 74,
    target_id: String(room.users.ada.id),
    options: { channel_id: String(room.channelId), message_id: String(messageId) },
  });
  expect(updated).toMatchObject({ id: String(messageId), pinned: true, author: { id: String(room.users.ada.id) } });
  expect(pins.last_pin_timestamp).toMatch(/^\d{4}-/);
  expect(notice).toMatchObject({
    type: MessageType.ChannelPinnedMessage,
    content: '',
    mentions: [],
    author: { id: String(room.users.bob.id) },
    message_reference: { message_id: String(messageId), channel_id: String(room.channelId) },
  });
  expect(notice).not.toHaveProperty('referenced_message');
  const [newest] = await listMessages(room.bot, { channelId: room.channelId, limit: 1 });
  expect(newest).toMatchObject({ type: MessageType.ChannelPinnedMessage, referenceId: messageId });
  expect(newest).not.toHaveProperty('referenced');
});

test('pins are listed in pages, newest first, and removed with an event', async () => {
  const ids = [await room.say(), await room.say(), await room.say()];
  for (const id of ids) await pinMessage(room.ada, at(id));
  expect(await pinnedIds()).toEqual(ids.toReversed());
  const page = await listPins(room.bot, { channelId: room.channelId, limit: 2 });
  expect([page.items.length, page.hasMore]).toEqual([2, true]);
  const rest = { channelId: room.channelId, limit: 2, before: page.items[1]?.pinnedAt };
  expect(await listPins(room.bot, rest)).toMatchObject({ items: [{ message: { id: ids[0] } }], hasMore: false });
  room.events.length = 0;
  await unpinMessage(room.ada, at(ids[1] ?? 0n));
  expect(await pinnedIds()).toEqual([ids[2], ids[0]]);
  expect(room.events.map(({ type }) => type)).toEqual([
    'GUILD_AUDIT_LOG_ENTRY_CREATE',
    'MESSAGE_UPDATE',
    'CHANNEL_PINS_UPDATE',
  ]);
});

test('pins are hidden without the permission to read the history', async () => {
  await pinMessage(room.ada, at(await room.say()));
  await room.permit(Permission.ViewChannel);
  expect(await pinnedIds()).toEqual([]);
});

test('pinning twice, and unpinning an unpinned message, do nothing', async () => {
  const messageId = await room.say();
  await unpinMessage(room.ada, at(messageId));
  await pinMessage(room.ada, at(messageId));
  room.events.length = 0;
  await pinMessage(room.bob, at(messageId));
  expect(room.events).toEqual([]);
});

test('the notice of a pin can be neither pinned nor edited', async () => {
  await pinMessage(room.ada, at(await room.say()));
  const [notice] = await listMessages(room.bot, { channelId: room.channelId, limit: 1 });
  expect(await outcome(pinMessage(room.ada, at(notice?.id ?? 0n)))).toBe('SYSTEM_MESSAGE');
  const edit = editMessage(room.ada, { ...at(notice?.id ?? 0n), body: toEdit({ content: 'not so' }) });
  expect(await outcome(edit)).toBe('SYSTEM_MESSAGE');
});

test('exactly one of ten pins takes the last place', async () => {
  await putPins(249);
  const ids = await Promise.all(Array.from({ length: 10 }, () => room.say()));
  const results = await Promise.all(ids.map((id) => outcome(pinMessage(room.ada, at(id)))));
  expect(results.toSorted()).toEqual(['ok', ...Array(9).fill('TOO_MANY_PINS')].toSorted());
  expect(await pinCount()).toBe(250);
  expect(await server.app.db.reader.message.count({ where: { channelId: room.channelId, pinned: true } })).toBe(250);
});

test('ten pins of one message are published once', async () => {
  const messageId = await room.say();
  room.events.length = 0;
  const results = await Promise.all(Array.from({ length: 10 }, () => outcome(pinMessage(room.ada, at(messageId)))));
  expect(results).toEqual(Array(10).fill('ok'));
  expect(room.events.filter(({ type }) => type === 'CHANNEL_PINS_UPDATE')).toHaveLength(1);
  expect(await pinCount()).toBe(1);
});

test('a message that is pinned while it is deleted is gone and leaves no pin', async () => {
  for (let n = 0; n < 3; n += 1) {
    const messageId = await room.say();
    const results = await Promise.all([
      outcome(pinMessage(room.bob, at(messageId))),
      outcome(deleteMessage(room.ada, at(messageId))),
      outcome(unpinMessage(room.bob, at(messageId))),
    ]);
    for (const result of results) expect(['ok', 'UNKNOWN_MESSAGE']).toContain(result);
    expect(results[1]).toBe('ok');
  }
  expect(await pinCount()).toBe(0);
});
