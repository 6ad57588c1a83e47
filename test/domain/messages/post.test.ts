import { Readable } from 'node:stream';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { MessageType } from 'discord-api-types/v10';
import { beforeEach, describe, expect } from 'vitest';
import { callContext } from '../../../src/context.js';
import type { Actor, CallContext } from '../../../src/domain/call.js';
import type { ChannelAccess, DirectChannelAccess, GuildChannelAccess } from '../../../src/domain/channels/access.js';
import type { DomainEvent } from '../../../src/domain/events.js';
import { accessGuildChannel } from '../../../src/domain/guilds/index.js';
import { updateMember } from '../../../src/domain/members/index.js';
import { applyEdit, type Edit } from '../../../src/domain/messages/apply-edit.js';
import type { UploadedFile } from '../../../src/domain/messages/index.js';
import { type Post, postMessage } from '../../../src/domain/messages/post.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { Writes } from '../../../src/domain/writes.js';
import { DatabaseUnavailable } from '../../../src/infra/database/faults.js';
import type { User } from '../../../src/infra/database/index.js';
import { keysBelow, namesIn } from '../../harness/blobs.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createDirectChannel, createPerson } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { type SentBody, toSend } from '../../harness/world.js';
import { openRoom, type Room, toEdit } from './scene.js';

let server: TestServer;
let room: Room;
let call: CallContext;
let events: DomainEvent[];

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
  events = [];
  call = listening({ kind: 'anonymous' });
});

/** A call that records its domain events before they are published. */
function listening(actor: Actor): CallContext {
  const render = (event: DomainEvent) => {
    events.push(event);
    return server.app.render(event);
  };
  const app = { ...server.app, render };
  return callContext({ ...app, writes: new Writes(app) }, actor);
}

const post = (place: ChannelAccess, author: User, body: SentBody, more: Partial<Post> = {}) =>
  postMessage(call, { author, place, body: toSend(body), files: [], kind: MessageType.Default, ...more });

async function file(): Promise<UploadedFile> {
  const blob = await server.app.blobs.stage(Readable.from([Buffer.from('x')]));
  return { index: 0, filename: 'x.txt', contentType: 'text/plain', blob };
}

const stored = (id: bigint) => server.app.db.reader.message.findUniqueOrThrow({ where: { id } });

describe('in a channel of a guild', () => {
  let place: GuildChannelAccess;
  const plain = () => {
    const { bob: author } = room.users;
    return { author, body: toSend({ content: 'x' }), files: [], kind: MessageType.Default };
  };

  beforeEach(async () => {
    place = await accessGuildChannel(room.bob, room.channelId, 'viewChannel');
  });

  test('the author is the given user, and no permission is checked', async () => {
    await room.permit(0n);
    const { id } = await post(place, room.users.bob, { content: 'hello' });
    expect(await stored(id)).toMatchObject({ authorId: room.users.bob.id, type: 0, content: 'hello' });
    expect(events).toMatchObject([{ type: 'MESSAGE_CREATE', message: { id, guildId: room.guild.id } }]);
    expect(events[0]).toMatchObject({ member: place.member });
    expect(events[0]).not.toHaveProperty('recipientIds');
  });

  test('an author who is not a member has no member in the event', async () => {
    const webhook = await createPerson(server.app);
    await post({ ...place, member: null }, webhook, { content: 'hello' });
    expect(events).toMatchObject([{ type: 'MESSAGE_CREATE', message: { author: webhook }, member: null }]);
  });

  test('the mentions follow the permissions of the author', async () => {
    const everyone = async (permissions: bigint) =>
      (await post({ ...place, permissions }, room.users.bob, { content: '@everyone' })).mentionEveryone;
    expect(await everyone(ALL_PERMISSIONS)).toBe(true);
    expect(await everyone(ALL_PERMISSIONS & ~Permission.MentionEveryone)).toBe(false);
  });

  test('a default message becomes a reply if it refers to a message, and other types stay', async () => {
    const message_reference = { message_id: String(await room.say()) };
    const kindOf = async (kind: MessageType) =>
      (await post(place, room.users.bob, { content: 'x', message_reference }, { kind })).type;
    expect(await kindOf(MessageType.Default)).toBe(MessageType.Reply);
    expect(await kindOf(MessageType.ChatInputCommand)).toBe(MessageType.ChatInputCommand);
  });

  test('a user message must have content, but a system message need not', async () => {
    for (const kind of [MessageType.Default, MessageType.ChatInputCommand, MessageType.ContextMenuCommand]) {
      expect(await outcome(post(place, room.users.bob, {}, { kind }))).toBe('EMPTY_MESSAGE');
    }
    const { id } = await post(place, room.users.bob, {}, { kind: MessageType.UserJoin });
    expect(await stored(id)).toMatchObject({ type: MessageType.UserJoin, content: '' });
  });

  test('a repeated job returns its first message, and another job creates a new one', async () => {
    const said = { ...plain(), place };
    const first = await postMessage({ ...call, workKey: 'a' }, said);
    expect((await postMessage({ ...call, workKey: 'a' }, said)).id).toBe(first.id);
    expect((await postMessage({ ...call, workKey: 'b' }, said)).id).not.toBe(first.id);
    expect(events).toHaveLength(2);
  });

  test('the event has no member that changed after it was read, even if it is the first of the guild', async () => {
    const other = await openRoom(server);
    await other.say();
    const read = await accessGuildChannel(room.bob, room.channelId, 'viewChannel');
    await updateMember(room.owner, { guildId: room.guild.id, userId: room.users.bob.id, nick: 'new' });
    await postMessage(room.bob, { ...plain(), place: read });
    const [sent] = room.events.filter(({ type }) => type === 'MESSAGE_CREATE');
    expect(JSON.parse(sent?.data ?? '')).not.toHaveProperty('member');
  });

  test('an ephemeral message has an id above those of earlier messages of the channel', async () => {
    const wantedId = server.app.nextId();
    const earlier = await room.say();
    const { id } = await postMessage(room.bob, { ...plain(), place, visibleToId: room.users.ada.id, wantedId });
    expect(id).toBeGreaterThan(earlier);
  });

  test('flags are stored as the caller gives them', async () => {
    const { id } = await post(place, room.users.bob, { content: 'x', flags: 64 });
    expect(await stored(id)).toMatchObject({ flags: 64 });
  });
});

describe('in a direct channel', () => {
  let place: DirectChannelAccess;
  let ada: User;
  let bob: User;

  beforeEach(async () => {
    ({ ada, bob } = room.users);
    const { id: channelId } = await createDirectChannel(server.app);
    place = { kind: 'direct', channelId, recipientIds: [ada.id, bob.id] };
  });

  const direct = () => ({ recipientIds: place.recipientIds });

  test('a message is stored without a guild, and its event is for the recipients', async () => {
    const message = await post(place, ada, { content: 'hello', embeds: [{ title: 'x' }] }, { files: [await file()] });
    expect(await stored(message.id)).toMatchObject({ channelId: place.channelId, authorId: ada.id, content: 'hello' });
    expect(events).toEqual([{ type: 'MESSAGE_CREATE', message, member: null, asOf: 0, ...direct() }]);
    expect(message).toMatchObject({ guildId: null, author: ada, attachments: [{ filename: 'x.txt' }] });
  });

  test('mentions are limited to its recipients, without roles and `@everyone`', async () => {
    const role = await server.app.db.writer.role.create({
      data: { id: server.app.nextId(), guildId: room.guild.id, name: 'role', mentionable: true },
    });
    const content = `@everyone <@${bob.id}> <@${room.users.bot.id}> <@&${role.id}>`;
    const { mentionedUsers, mentionRoleIds, mentionEveryone } = await post(place, ada, { content });
    expect([mentionedUsers, mentionRoleIds, mentionEveryone]).toEqual([[bob], [], false]);
  });

  test('a reply refers to a message of the same channel', async () => {
    const target = await post(place, ada, { content: 'question' });
    const reply = (message_id: bigint) =>
      post(place, bob, { content: 'answer', message_reference: { message_id: String(message_id) } });
    expect(await reply(target.id)).toMatchObject({
      type: MessageType.Reply,
      guildId: null,
      referenced: { id: target.id, guildId: null },
      mentionedUsers: [ada],
    });
    await expect(reply(await room.say())).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: 'reference', code: 'REPLIES_UNKNOWN_MESSAGE' }],
    });
  });

  test('ten messages with one enforced nonce are one message and one event, without extra files', async () => {
    const attempts = Array.from({ length: 10 }, async () =>
      post(place, ada, { nonce: 'n', enforce_nonce: true }, { files: [await file()] }),
    );
    const [first, ...rest] = await Promise.all(attempts);
    for (const { id } of rest) expect(id).toBe(first?.id);
    expect(events).toHaveLength(1);
    expect(await namesIn(server.app.blobs, `attachments/${place.channelId}`)).toEqual([String(first?.id)]);
  });

  describe('a file of a message with a failed write', () => {
    const filesOf = async (): Promise<string[]> => {
      const keys = await keysBelow(server.app.blobs, `attachments/${place.channelId}`);
      return keys.map((key) => key.split('/').at(-1) ?? '');
    };
    const attachmentIds = async () => {
      const where = { message: { channelId: place.channelId } };
      return (await server.app.db.reader.attachment.findMany({ where })).map(({ id }) => String(id));
    };
    const lost = () => new DatabaseUnavailable(new Error('Connection terminated unexpectedly'));
    const full = (originalCode: string) =>
      new DatabaseUnavailable(new DriverAdapterError({ kind: 'GenericJs', id: 0, originalCode }));
    /** A call whose writes commit and then fail with this error. */
    const losing = (error: Error): CallContext => ({
      ...call,
      writeOne: (...args) => call.writeOne(...args).then(() => Promise.reject(error)),
      write: (...args) => call.write(...args).then(() => Promise.reject(error)),
    });
    /** A call whose writes fail without effect. */
    const refusing = (error: Error): CallContext => ({
      ...call,
      writeOne: () => Promise.reject(error),
      write: () => Promise.reject(error),
    });

    test('stays if the result was lost, since its row may exist', async () => {
      const sent = { author: ada, place, body: toSend({}), files: [await file()], kind: MessageType.Default };
      await expect(postMessage(losing(lost()), sent)).rejects.toThrow(DatabaseUnavailable);
      expect(await attachmentIds()).toHaveLength(1);
      expect(await filesOf()).toEqual(await attachmentIds());
    });

    test('stays if the result of its edit was lost, together with the removed file', async () => {
      const message = await post(place, ada, {}, { files: [await file()] });
      const [old = ''] = await attachmentIds();
      const body = toEdit({ attachments: [{ id: '0' }] });
      const edit: Edit = { place, body, files: [await file()], asAuthor: true };
      await expect(applyEdit(losing(lost()), message, edit)).rejects.toThrow(DatabaseUnavailable);
      const stored = await attachmentIds();
      expect(stored).not.toEqual([old]);
      expect((await filesOf()).sort()).toEqual([old, ...stored].sort());
    });

    test.each([
      ['a fault of ours', new Error('a fault')],
      ['an answer of SQLite without room', full('SQLITE_FULL')],
      ['an answer of PostgreSQL without room', full('53100')],
    ])('is removed if it is certain that nothing was written: %s', async (_what, error) => {
      const sent = { author: ada, place, body: toSend({}), files: [await file()], kind: MessageType.Default };
      await expect(postMessage(refusing(error), sent)).rejects.toThrow(error);
      expect(await filesOf()).toEqual([]);
      const message = await post(place, ada, { content: 'x' });
      const edit: Edit = { place, body: toEdit({}), files: [await file()], asAuthor: true };
      await expect(applyEdit(refusing(error), message, edit)).rejects.toThrow(error);
      expect(await filesOf()).toEqual([]);
    });
  });

  test('a channel that is deleted in the meantime is unknown', async () => {
    await server.app.db.writer.channel.delete({ where: { id: place.channelId } });
    expect(await outcome(post(place, ada, { content: 'x' }))).toBe('UNKNOWN_CHANNEL');
    expect(events).toEqual([]);
  });

  test('an edit is published to the recipients, and follows the same rules', async () => {
    const message = await post(place, ada, { content: 'hello' });
    events.length = 0;
    const edit = (body: Parameters<typeof toEdit>[0], files: Edit['files'] = []) =>
      applyEdit(call, message, { place, body: toEdit(body), files, asAuthor: true });
    const edited = await edit({ content: `@everyone <@${bob.id}> <@${room.users.bot.id}>` });
    expect(edited).toMatchObject({ guildId: null, mentionedUsers: [bob], mentionEveryone: false });
    expect(events).toEqual([{ type: 'MESSAGE_UPDATE', message: edited, member: null, asOf: 0, ...direct() }]);
    const withFile = await edit({}, [await file()]);
    expect(events.at(-1)).toEqual({ type: 'MESSAGE_UPDATE', message: withFile, member: null, asOf: 0, ...direct() });
    expect(await outcome(edit({ content: null, attachments: [] }))).toBe('EMPTY_MESSAGE');
  });
});
