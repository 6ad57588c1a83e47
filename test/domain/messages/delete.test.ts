import { expect } from 'vitest';
import { addReaction, deleteMessage, sendMessage } from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS } from '../../../src/domain/permissions.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import type { TestServer } from '../../harness/server.js';
import { toSend } from '../../harness/world.js';
import { openRoom, type Room } from './scene.js';

let server: TestServer;
let room: Room;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  room = await openRoom(server);
  await room.permit(ALL_PERMISSIONS);
});

test('one of ten deletions at once succeeds, the others find no message, and one event is published', async () => {
  for (const others of [false, true]) {
    const messageId = await room.say();
    room.events.length = 0;
    const call = others ? room.bob : room.ada;
    const attempts = Array.from({ length: 10 }, () =>
      outcome(deleteMessage(call, { channelId: room.channelId, messageId })),
    );
    const results = await Promise.all(attempts);
    expect(results.filter((result) => result === 'ok')).toHaveLength(1);
    expect(results.filter((result) => result === 'UNKNOWN_MESSAGE')).toHaveLength(9);
    expect(room.events.map(({ type }) => type)).toEqual([
      ...(others ? ['GUILD_AUDIT_LOG_ENTRY_CREATE'] : []),
      'MESSAGE_DELETE',
    ]);
    const deletion = { guildId: room.guild.id, action: 'MESSAGE_DELETE' };
    const entries = await server.app.db.reader.auditEntry.count({ where: deletion });
    expect(entries).toBe(others ? 1 : 0);
  }
});

test('deleting a message deletes its reactions and keeps its replies', async () => {
  const messageId = await room.say();
  const place = { channelId: room.channelId, messageId };
  await addReaction(room.bob, { ...place, emoji: '👍' });
  const body = toSend({ content: 'reply', message_reference: { message_id: String(messageId) } });
  const reply = await sendMessage(room.bob, { channelId: room.channelId, body });
  await deleteMessage(room.ada, place);
  expect(await server.app.db.reader.reaction.count({ where: { messageId } })).toBe(0);
  expect(await server.app.db.reader.message.findUnique({ where: { id: reply.id } })).toMatchObject({
    referenceId: messageId,
  });
});

test('a reaction to a message during its deletion succeeds or finds no message', async () => {
  const messageId = await room.say();
  const place = { channelId: room.channelId, messageId };
  const attempts = ['👍', '👎', '🎉', '👍'].map((emoji) => outcome(addReaction(room.bob, { ...place, emoji })));
  const results = await Promise.all([...attempts, outcome(deleteMessage(room.ada, place))]);
  for (const result of results) expect(['ok', 'UNKNOWN_MESSAGE']).toContain(result);
  expect(await server.app.db.reader.reaction.count({ where: { messageId } })).toBe(0);
});
