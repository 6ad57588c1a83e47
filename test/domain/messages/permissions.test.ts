import { beforeEach, describe, expect } from 'vitest';
import type { CallContext } from '../../../src/domain/call.js';
import {
  addReaction,
  clearReactions,
  deleteMessage,
  editMessage,
  getMessage,
  listMessages,
  listReactions,
  removeReaction,
  sendMessage,
  startTyping,
} from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import type { TestServer } from '../../harness/server.js';
import { type SentBody, toSend } from '../../harness/world.js';
import { openRoom, type Room, toEdit } from './scene.js';

let server: TestServer;
let room: Room;
let messageId: bigint;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
  messageId = await room.sayAndReact();
});

const { ViewChannel, SendMessages, ReadMessageHistory, EmbedLinks, AddReactions, ManageMessages, SendTTSMessages } =
  Permission;

type Attempt = (call: CallContext) => Promise<unknown>;

const place = () => ({ channelId: room.channelId, messageId });
const send =
  (body: SentBody): Attempt =>
  (call) =>
    sendMessage(call, { channelId: room.channelId, body: toSend(body) });

const reply = (call: CallContext) => send({ content: 'x', message_reference: { message_id: String(messageId) } })(call);

/** The permissions that bob, who is not the author, needs for each attempt in addition to ViewChannel. */
const NEEDED: [string, Attempt, bigint][] = [
  ['send a message', send({ content: 'x' }), SendMessages],
  ['send an embed', send({ embeds: [{ title: 'x' }] }), SendMessages | EmbedLinks],
  ['send read aloud', send({ content: 'x', tts: true }), SendMessages | SendTTSMessages],
  ['reply', reply, SendMessages | ReadMessageHistory],
  ['type', (call) => startTyping(call, place()), SendMessages],
  ['read a message', (call) => getMessage(call, place()), ReadMessageHistory],
  ['list messages', (call) => listMessages(call, { channelId: room.channelId, limit: 1 }), 0n],
  ['delete a message of somebody else', (call) => deleteMessage(call, place()), ManageMessages],
  ['react first', (call) => addReaction(call, { ...place(), emoji: '👎' }), ReadMessageHistory | AddReactions],
  ['join a reaction', (call) => addReaction(call, { ...place(), emoji: '👍' }), ReadMessageHistory],
  ['see who reacted', (call) => listReactions(call, { ...place(), emoji: '👍', limit: 1 }), ReadMessageHistory],
  ['take the own reaction back', (call) => removeReaction(call, { ...place(), emoji: '👍' }), ReadMessageHistory],
  [
    "remove somebody's reaction",
    (call) => removeReaction(call, { ...place(), emoji: '👍', userId: room.users.ada.id }),
    ReadMessageHistory | ManageMessages,
  ],
  ['remove all reactions', (call) => clearReactions(call, place()), ReadMessageHistory | ManageMessages],
];

const bitsOf = (bits: bigint) => Object.values(Permission).filter((bit) => (bits & bit) !== 0n);

describe('a member', () => {
  test.each(NEEDED)('may %s with exactly the needed permissions', async (_, attempt, needed) => {
    await room.permit(ViewChannel | needed);
    expect(await outcome(attempt(room.bob))).toBe('ok');
  });

  test.each(NEEDED)('may not %s without any one of them', async (_, attempt, needed) => {
    for (const missing of bitsOf(needed)) {
      await room.permit(ALL_PERMISSIONS & ~Permission.Administrator & ~missing);
      expect(await outcome(attempt(room.bob)), String(missing)).toBe('MISSING_PERMISSIONS');
    }
  });

  test.each(NEEDED)(
    'may not %s without ViewChannel: a person finds no channel, a bot gets MISSING_ACCESS',
    async (_, attempt) => {
      await room.permit(ALL_PERMISSIONS & ~Permission.Administrator & ~ViewChannel);
      expect(await outcome(attempt(room.bob))).toBe('UNKNOWN_CHANNEL');
      expect(await outcome(attempt(room.bot))).toBe('MISSING_ACCESS');
    },
  );

  test('may not edit messages of others, except to suppress embeds with ManageMessages', async () => {
    await room.permit(ALL_PERMISSIONS & ~Permission.Administrator & ~ManageMessages);
    expect(await outcome(editMessage(room.bob, { ...place(), body: toEdit({ content: 'x' }) }))).toBe(
      'NOT_MESSAGE_AUTHOR',
    );
    expect(await outcome(editMessage(room.bob, { ...place(), body: toEdit({ flags: 4 }) }))).toBe('NOT_MESSAGE_AUTHOR');
    await room.permit(ViewChannel | ManageMessages);
    expect(await outcome(editMessage(room.bob, { ...place(), body: toEdit({ content: 'x' }) }))).toBe(
      'NOT_MESSAGE_AUTHOR',
    );
    expect(await outcome(editMessage(room.bob, { ...place(), body: toEdit({ flags: 4, content: 'x' }) }))).toBe(
      'NOT_MESSAGE_AUTHOR',
    );
    expect(await editMessage(room.bob, { ...place(), body: toEdit({ flags: 4 }) })).toMatchObject({
      flags: 4,
      content: 'hello',
    });
  });

  test('may edit and delete own messages without SendMessages, but needs EmbedLinks to add embeds', async () => {
    await room.permit(ViewChannel);
    expect(await outcome(editMessage(room.ada, { ...place(), body: toEdit({ content: 'x' }) }))).toBe('ok');
    expect(await outcome(editMessage(room.ada, { ...place(), body: toEdit({ embeds: [{ title: 'x' }] }) }))).toBe(
      'MISSING_PERMISSIONS',
    );
    expect(await outcome(deleteMessage(room.ada, place()))).toBe('ok');
  });
});

describe('others', () => {
  test.each(NEEDED)('the owner may %s without any permission', async (_, attempt) => {
    await room.permit(0n);
    expect(await outcome(attempt(room.owner))).toBe('ok');
  });

  test.each(NEEDED)('an administrator may %s', async (_, attempt) => {
    await room.permit(Permission.Administrator);
    expect(await outcome(attempt(room.bob))).toBe('ok');
  });

  test.each(NEEDED)('a user outside may not %s, since there is no such channel', async (_, attempt) => {
    expect(await outcome(attempt(room.outsider))).toBe('UNKNOWN_CHANNEL');
  });
});
