import { describe, expect } from 'vitest';
import type { BusMessage } from '../../../src/domain/bus-message.js';
import { deleteOrCloseChannel, getChannel, openDirectChannel } from '../../../src/domain/channels/index.js';
import { leaveGuild } from '../../../src/domain/guilds/index.js';
import { installApplication } from '../../../src/domain/installations/index.js';
import {
  addReaction,
  clearReactions,
  deleteMessage,
  editMessage,
  listMessages,
  listPins,
  pinMessage,
  sendMessage,
  startTyping,
} from '../../../src/domain/messages/index.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { asBox } from '../../harness/as-box.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { addMember, callOf, createBot, createGuild, toSend } from '../../harness/world.js';
import { openRoom, type Room, toEdit } from '../messages/scene.js';

let server: TestServer;
let room: Room;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  room = await openRoom(server);
});

const open = async () => (await openDirectChannel(room.bot, room.users.ada.id)).channel.id;
const HELLO = { body: toSend({ content: 'hello' }) };

test('two users share one direct channel, even if ten calls open it at once', async () => {
  const bob = room.users.bob.id;
  const opened = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      n % 2 === 0 ? openDirectChannel(room.bot, bob) : openDirectChannel(room.bob, room.users.bot.id),
    ),
  );
  expect(new Set(opened.map(({ channel }) => channel.id)).size).toBe(1);
  expect(opened[0]?.recipients?.map(({ id }) => id)).toEqual([bob]);
  expect(opened[1]?.recipients?.map(({ id }) => id)).toEqual([room.users.bot.id]);
});

test('a direct channel is accessible to its two recipients only', async () => {
  const id = await open();
  expect(await getChannel(room.ada, id)).toMatchObject({ recipients: [{ id: room.users.bot.id }] });
  expect(await outcome(getChannel(room.bob, id))).toBe('UNKNOWN_CHANNEL');
  const other = await createBot(server.app);
  expect(await outcome(getChannel(callOf(server.app, other.user), id))).toBe('MISSING_ACCESS');
});

test('a direct channel supports all message operations and publishes them to its recipients', async () => {
  const channelId = await open();
  const heard: BusMessage[] = [];
  const subscription = server.app.bus.subscribe(topics.user(room.users.ada.id), (message) => {
    if (message.type !== 'STREAM_GAP') heard.push(message as BusMessage);
  });
  const { id: messageId } = await sendMessage(room.bot, { channelId, ...HELLO });
  const at = { channelId, messageId };
  await editMessage(room.bot, { ...at, body: toEdit({ content: 'changed' }) });
  await addReaction(room.ada, { ...at, emoji: '👍' });
  await startTyping(room.ada, { channelId });
  await pinMessage(room.ada, at);
  expect((await listPins(room.bot, { channelId, limit: 50 })).items).toHaveLength(1);
  expect((await listMessages(room.ada, { channelId, limit: 2 })).map(({ id }) => id)).toContain(messageId);
  await deleteMessage(room.bot, at);
  expect(heard.map(({ type }) => type)).toEqual([
    'MESSAGE_CREATE',
    'MESSAGE_UPDATE',
    'MESSAGE_REACTION_ADD',
    'TYPING_START',
    'MESSAGE_UPDATE',
    'CHANNEL_PINS_UPDATE',
    'MESSAGE_CREATE',
    'MESSAGE_DELETE',
  ]);
  for (const { data } of heard) expect(JSON.parse(data)).not.toHaveProperty('guild_id');
  subscription.close();
});

test('a direct channel refuses operations that need permissions over other users', async () => {
  const channelId = await open();
  const { id: messageId } = await sendMessage(room.bot, { channelId, ...HELLO });
  expect(await outcome(clearReactions(room.bot, { channelId, messageId }))).toBe('DIRECT_CHANNEL');
  expect(await outcome(deleteMessage(room.ada, { channelId, messageId }))).toBe('DIRECT_CHANNEL');
});

test('closing a direct channel deletes nothing', async () => {
  const id = await open();
  const { id: messageId } = await sendMessage(room.bot, { channelId: id, ...HELLO });
  expect((await deleteOrCloseChannel(room.bot, id)).channel.id).toBe(id);
  expect(await openDirectChannel(room.bot, room.users.ada.id)).toMatchObject({
    channel: { id },
    lastMessageId: messageId,
  });
  expect(await outcome(deleteOrCloseChannel(room.bot, room.channelId))).toBe('MISSING_PERMISSIONS');
});

describe('a user can be messaged', () => {
  test('by a member of the same guild, as long as they share it', async () => {
    const [guild, person, bot] = [
      await createGuild(server.app),
      await createPerson(server.app),
      await createBot(server.app),
    ];
    const [asPerson, asBot] = [callOf(server.app, person), callOf(server.app, bot.user)];
    expect(await outcome(openDirectChannel(asBot, person.id))).toBe('CANNOT_MESSAGE_USER');
    expect(await outcome(openDirectChannel(asPerson, bot.id))).toBe('CANNOT_MESSAGE_USER');
    await addMember(server.app, guild.id, person);
    await addMember(server.app, guild.id, bot.user);
    const { channel } = await openDirectChannel(asBot, person.id);
    await sendMessage(asBot, { channelId: channel.id, ...HELLO });
    await leaveGuild(asPerson, guild.id);
    expect(await outcome(sendMessage(asBot, { channelId: channel.id, ...HELLO }))).toBe('CANNOT_MESSAGE_USER');
    expect((await openDirectChannel(asBot, person.id)).channel.id).toBe(channel.id);
    expect(await listMessages(asPerson, { channelId: channel.id, limit: 5 })).toHaveLength(1);
  });

  test('through a shared guild only until it is deleted, even before its rows are removed', async () => {
    const [guild, person, other] = [
      await createGuild(server.app),
      await createPerson(server.app),
      await createPerson(server.app),
    ];
    for (const user of [person, other]) await addMember(server.app, guild.id, user);
    const asPerson = callOf(server.app, person);
    const { channel } = await openDirectChannel(asPerson, other.id);
    await server.app.db.writer.guild.update({ where: { id: guild.id }, data: { deletedAt: new Date() } });
    expect(await outcome(sendMessage(asPerson, { channelId: channel.id, ...HELLO }))).toBe('CANNOT_MESSAGE_USER');
  });

  test('and the author can still edit and delete a message after they share no guild', async () => {
    const [guild, person, bot] = [
      await createGuild(server.app),
      await createPerson(server.app),
      await createBot(server.app),
    ];
    const [asPerson, asBot] = [callOf(server.app, person), callOf(server.app, bot.user)];
    await addMember(server.app, guild.id, person);
    await addMember(server.app, guild.id, bot.user);
    const { id: channelId } = (await openDirectChannel(asBot, person.id)).channel;
    const { id: messageId } = await sendMessage(asBot, { channelId, ...HELLO });
    await leaveGuild(asPerson, guild.id);
    const at = { channelId, messageId };
    const edit = { ...at, body: toEdit({ content: 'changed' }) };
    expect(await outcome(editMessage(asPerson, edit))).toBe('NOT_MESSAGE_AUTHOR');
    expect(await outcome(deleteMessage(asPerson, at))).toBe('DIRECT_CHANNEL');
    expect(await outcome(sendMessage(asBot, { channelId, ...HELLO }))).toBe('CANNOT_MESSAGE_USER');
    await editMessage(asBot, edit);
    expect(await listMessages(asPerson, { channelId, limit: 5 })).toMatchObject([
      { id: messageId, content: 'changed' },
    ]);
    await deleteMessage(asBot, at);
    expect(await listMessages(asPerson, { channelId, limit: 5 })).toEqual([]);
  });

  test('by a bot whose application they installed, and can message that bot', async () => {
    const [person, bot] = [await createPerson(server.app), await createBot(server.app)];
    await server.app.db.writer.application.update({ where: { id: bot.id }, data: { userInstall: true } });
    const asPerson = callOf(server.app, person);
    await installApplication(asPerson, { applicationId: bot.id, scopes: ['applications.commands'] });
    const { channel } = await openDirectChannel(callOf(server.app, bot.user), person.id);
    expect(await outcome(sendMessage(asPerson, { channelId: channel.id, ...HELLO }))).toBe('ok');
  });

  test('by another user of the same guild, and by no other user', async () => {
    expect(await outcome(openDirectChannel(room.ada, room.users.bob.id))).toBe('ok');
    const stranger = await createPerson(server.app);
    expect(await outcome(openDirectChannel(room.ada, stranger.id))).toBe('CANNOT_MESSAGE_USER');
  });

  test('with a bot neither by another bot nor by that bot, and not with an unknown user', async () => {
    const other = await createBot(server.app);
    await addMember(server.app, room.guild.id, other.user);
    expect(await outcome(openDirectChannel(room.bot, other.id))).toBe('CANNOT_MESSAGE_USER');
    expect(await outcome(openDirectChannel(room.bot, room.users.bot.id))).toBe('INVALID_RECIPIENT');
    expect(await outcome(openDirectChannel(room.bot, 5n))).toBe('INVALID_RECIPIENT');
  });

  test('on a box by a bot of the box, and is unknown in the cloud', async () => {
    const undo = asBox(server.app, 5_000);
    try {
      const person = await createPerson(server.app);
      await addMember(server.app, room.guild.id, person);
      const open = () => outcome(openDirectChannel(callOf(server.app, room.users.bot), person.id));
      expect(await open()).toBe('ok');
      undo();
      expect(await open()).toBe('UNKNOWN_USER');
    } finally {
      undo();
    }
  });
});
