import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect } from 'vitest';
import { callContext } from '../../../src/context.js';
import { requireUser } from '../../../src/domain/call.js';
import { sendMessage, type UploadedFile } from '../../../src/domain/messages/index.js';
import { DEFAULT_EVERYONE_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { ManualClock } from '../../harness/clock.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import type { TestServer } from '../../harness/server.js';
import { createBot, type SentBody, toSend } from '../../harness/world.js';
import { openRoom, type Room } from './scene.js';

let server: TestServer;
let room: Room;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
});

const send = async (body: SentBody, call = room.ada) =>
  sendMessage(call, { channelId: room.channelId, body: toSend(body) });

describe('mentions', () => {
  const mentionsOf = async (content: string, rest: SentBody = {}) => {
    const { mentionedUsers, mentionRoleIds, mentionEveryone } = await send({ content, ...rest });
    return { users: mentionedUsers.map((user) => user.id), roles: mentionRoleIds, everyone: mentionEveryone };
  };
  const addRole = (mentionable: boolean) =>
    server.app.db.writer.role.create({
      data: { id: server.app.nextId(), guildId: room.guild.id, name: 'role', mentionable },
    });

  test('contain each user and role of the text once, in its order', async () => {
    const { bob, bot } = room.users;
    const role = await addRole(true);
    expect(
      await mentionsOf(`<@${bot.id}> <@!${bob.id}> <@${bot.id}> <@1> <@&${role.id}> <@&2> <@99999999999999999999>`),
    ).toEqual({
      users: [bot.id, bob.id],
      roles: [String(role.id)],
      everyone: false,
    });
  });

  test('exclude users outside the guild, so that an id does not reveal a name', async () => {
    const stranger = await createBot(server.app);
    const { outsider } = room;
    const text = `<@${stranger.id}> <@${requireUser(outsider).user.id}> <@${room.users.bob.id}>`;
    expect(await mentionsOf(text)).toMatchObject({ users: [room.users.bob.id] });
    expect(await mentionsOf(text, { allowed_mentions: { users: [String(stranger.id)] } })).toMatchObject({ users: [] });
  });

  test('contain `@everyone` and @here if the author has MentionEveryone', async () => {
    expect(await mentionsOf('@everyone')).toMatchObject({ everyone: true });
    expect(await mentionsOf('oh @here!')).toMatchObject({ everyone: true });
    expect(await mentionsOf('@everyones')).toMatchObject({ everyone: false });
    await room.permit(DEFAULT_EVERYONE_PERMISSIONS & ~Permission.MentionEveryone);
    expect(await mentionsOf('@everyone')).toMatchObject({ everyone: false });
  });

  test('contain an unmentionable role if the author has MentionEveryone', async () => {
    const role = await addRole(false);
    expect(await mentionsOf(`<@&${role.id}>`)).toMatchObject({ roles: [String(role.id)] });
    await room.permit(DEFAULT_EVERYONE_PERMISSIONS & ~Permission.MentionEveryone);
    expect(await mentionsOf(`<@&${role.id}>`)).toMatchObject({ roles: [] });
  });

  test('contain only what allowed_mentions permits', async () => {
    const { bob, bot } = room.users;
    const role = await addRole(true);
    const text = `@everyone <@${bob.id}> <@${bot.id}> <@&${role.id}>`;
    const none = { users: [], roles: [], everyone: false };
    const allowed = (allowed_mentions: SentBody['allowed_mentions']) => mentionsOf(text, { allowed_mentions });
    expect(await allowed({ parse: [] })).toEqual(none);
    expect(await allowed({})).toEqual(none);
    expect(await allowed({ parse: ['users'] })).toEqual({ ...none, users: [bob.id, bot.id] });
    expect(await allowed({ parse: ['roles'] })).toEqual({ ...none, roles: [String(role.id)] });
    expect(await allowed({ parse: ['everyone'] })).toEqual({ ...none, everyone: true });
    expect(await allowed({ users: [String(bob.id), '1'] })).toEqual({ ...none, users: [bob.id] });
    expect(await allowed({ parse: ['everyone'], roles: [String(role.id)] })).toEqual({
      users: [],
      roles: [String(role.id)],
      everyone: true,
    });
    expect(await allowed(null)).toMatchObject({ users: [bob.id, bot.id], everyone: true });
  });
});

describe('replies', () => {
  const replyTo = (message_id: bigint | string, rest: object = {}, body: SentBody = {}) =>
    send({ content: 'reply', message_reference: { message_id: String(message_id), ...rest }, ...body }, room.bob);

  test('contain their target, and mention its author', async () => {
    const target = await room.say('question');
    const reply = await replyTo(target);
    expect(reply).toMatchObject({ type: 19, referenceId: target, referenced: { content: 'question' } });
    expect(reply.mentionedUsers.map((user) => user.id)).toEqual([room.users.ada.id]);
  });

  test('may mention the author of their target, even after that author left the guild', async () => {
    const target = await room.say('question');
    const { ada } = room.users;
    await server.app.db.writer.member.deleteMany({ where: { guildId: room.guild.id, userId: ada.id } });
    const reply = await replyTo(target, {}, { content: `<@${ada.id}>`, allowed_mentions: { parse: ['users'] } });
    expect(reply.mentionedUsers.map((user) => user.id)).toEqual([ada.id]);
  });

  test('mention no author unless allowed_mentions permits it', async () => {
    const target = await room.say();
    const mentioned = async (allowed_mentions: SentBody['allowed_mentions']) =>
      (await replyTo(target, {}, { allowed_mentions })).mentionedUsers.length;
    expect(await mentioned({ parse: ['users'] })).toBe(0);
    expect(await mentioned({ replied_user: false })).toBe(0);
    expect(await mentioned({ parse: [], replied_user: true })).toBe(1);
  });

  test('need their target, unless fail_if_not_exists is false', async () => {
    const elsewhere = await openRoom(server);
    const foreign = await elsewhere.say();
    for (const missing of ['1', '99999999999999999999', foreign]) {
      expect(await outcome(replyTo(missing))).toBe('INVALID_INPUT');
      expect(await outcome(replyTo(missing, { fail_if_not_exists: true }))).toBe('INVALID_INPUT');
      const sent = await replyTo(missing, { fail_if_not_exists: false });
      expect(sent).toMatchObject({ type: 0, referenceId: null });
      expect(sent.referenced).toBeUndefined();
    }
  });
});

describe('nonces', () => {
  const countMessages = () => server.app.db.reader.message.count({ where: { channelId: room.channelId } });

  test('twenty messages at once with an enforced nonce are one message and one event', async () => {
    const body = { content: 'once', nonce: 'n', enforce_nonce: true };
    const sent = await Promise.all(Array.from({ length: 20 }, () => send(body)));
    expect(new Set(sent.map((message) => message.id)).size).toBe(1);
    expect(await countMessages()).toBe(1);
    expect(room.events.filter((event) => event.type === 'MESSAGE_CREATE')).toHaveLength(1);
  });

  test('an enforced nonce applies to its author and channel, and others have no effect', async () => {
    const body = { content: 'x', nonce: 'n', enforce_nonce: true };
    await send(body);
    await send(body, room.bob);
    await send({ ...body, nonce: 'm' });
    await send({ ...body, enforce_nonce: false });
    await send({ ...body, nonce: '' });
    await send({ ...body, nonce: '' });
    expect(await countMessages()).toBe(6);
  });

  test('a number is accepted as a nonce, and returned', async () => {
    expect(await send({ content: 'x', nonce: 12 })).toMatchObject({ nonce: '12' });
    expect(await send({ content: 'x', nonce: 9007199254740993n })).toMatchObject({ nonce: '9007199254740993' });
  });

  test('a nonce can be used again after five minutes, even by twenty messages', async () => {
    const body = { content: 'x', nonce: 'n', enforce_nonce: true };
    const first = await send(body);
    const clock = new ManualClock(server.app.clock.now() + 5 * 60_000);
    const later = callContext({ ...server.app, clock }, room.ada.actor);
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => send(body, later).catch((error: unknown) => error)),
    );
    expect(sent.filter((message) => message instanceof Error)).toEqual([]);
    expect(sent).not.toContainEqual(expect.objectContaining({ id: first.id }));
    expect(await countMessages()).toBeGreaterThan(1);
  });
});

describe('the event', () => {
  test('has the member and the guild, which the response does not have', async () => {
    const sent = await send({ content: 'x' });
    const [event] = room.events.filter(({ type }) => type === 'MESSAGE_CREATE');
    expect(event).toMatchObject({
      channelId: String(room.channelId),
      content: { readers: { authorId: String(room.users.ada.id) } },
    });
    const data = JSON.parse(event?.data ?? '');
    expect(data).toMatchObject({
      id: String(sent.id),
      content: 'x',
      guild_id: String(room.guild.id),
      member: { nick: null },
    });
    expect(JSON.parse(event?.content?.redacted ?? '')).toMatchObject({ id: String(sent.id), content: '' });
  });
});

describe('files', () => {
  async function file(): Promise<UploadedFile> {
    const blob = await server.app.blobs.stage(Readable.from([Buffer.from('x')]));
    return { index: 0, filename: 'x.txt', contentType: 'text/plain', blob };
  }
  const folders = () => readdir(join(server.app.config.dataDir, 'blobs/attachments', String(room.channelId)));

  test('of a repeated nonce are removed', async () => {
    const body = toSend({ nonce: 'n', enforce_nonce: true });
    const files = await Promise.all(Array.from({ length: 5 }, file));
    const sends = files.map((one) => sendMessage(room.ada, { channelId: room.channelId, body, files: [one] }));
    const [sent] = await Promise.all(sends);
    expect(await folders()).toEqual([String(sent?.id)]);
  });

  test('of a message that could not be stored are removed', async () => {
    await room.say();
    await server.app.db.writer.channel.delete({ where: { id: room.channelId } });
    const attempt = sendMessage(room.ada, { channelId: room.channelId, body: {}, files: [await file()] });
    expect(await outcome(attempt)).toBe('UNKNOWN_CHANNEL');
    expect(await folders()).toEqual([]);
  });
});

describe('races', () => {
  test('a channel that is deleted in the meantime is unknown', async () => {
    await room.say();
    await server.app.db.writer.channel.delete({ where: { id: room.channelId } });
    expect(await outcome(send({ content: 'x' }))).toBe('UNKNOWN_CHANNEL');
  });
});
