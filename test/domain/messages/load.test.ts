import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createChannel } from '../../../src/domain/channels/index.js';
import { leaveGuild } from '../../../src/domain/guilds/index.js';
import {
  addReaction,
  clearReactions,
  countReactions,
  deleteMessage,
  editMessage,
  getMessage,
  listMessages,
  listReactions,
  removeReaction,
  sendMessage,
  startTyping,
} from '../../../src/domain/messages/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { snowflakeTime } from '../../../src/infra/ids/ids.js';
import { hearGuild } from '../../harness/bus.js';
import { ManualClock } from '../../harness/clock.js';
import { openContext } from '../../harness/context.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import {
  addMember,
  callOf,
  createBot,
  createGuild,
  type SentBody,
  type TestGuild,
  toSend,
} from '../../harness/world.js';
import { toEdit } from './scene.js';

const clock = new ManualClock();
let app: AppContext;
let close: () => Promise<void>;
let guild: TestGuild;
let ada: User;
let bob: User;
beforeAll(async () => {
  const opened = await openContext();
  // Ids come from the machine's clock.
  app = { ...opened.app, clock };
  close = opened.close;
  [ada, bob] = [await createPerson(app), await createPerson(app)];
});
beforeEach(async () => {
  guild = await createGuild(app);
  await addMember(app, guild.id, ada);
  await addMember(app, guild.id, bob);
});
afterAll(() => close());

const send = (user: User, body: SentBody, channelId = guild.channel.id) =>
  sendMessage(callOf(app, user), { channelId, body: toSend(body) });
const at = (messageId: bigint) => ({ channelId: guild.channel.id, messageId });
const get = (user: User, messageId: bigint) => getMessage(callOf(app, user), at(messageId));
const answerTo = ({ id }: { id: bigint }) => ({ message_id: String(id) });

describe('a message is loaded', () => {
  test('with its author, its mentions in the order of the text, and the message it replies to', async () => {
    const question = await send(ada, { content: `<@${bob.id}> <@${ada.id}>?` });
    const sent = await send(bob, { content: 'yes', message_reference: answerTo(question) });
    const answer = await get(ada, sent.id);
    expect(answer).toMatchObject({
      author: { id: bob.id },
      mentionedUsers: [{ id: ada.id }],
      guildId: guild.id,
      reactions: [],
      referenced: {
        id: question.id,
        author: { id: ada.id },
        mentionedUsers: [{ id: bob.id }, { id: ada.id }],
        reactions: [],
      },
    });
    expect(answer.referenced).not.toHaveProperty('referenced');
    expect(await get(ada, question.id)).not.toHaveProperty('referenced');
    expect(sent.mentionedUsers).toEqual(answer.mentionedUsers);
  });

  test('without the message it replies to after that was deleted', async () => {
    const question = await send(ada, { content: 'really?' });
    const { id } = await send(bob, { content: 'yes', message_reference: answerTo(question) });
    await deleteMessage(callOf(app, ada), at(question.id));
    expect((await get(ada, id)).referenced).toBeNull();
  });

  test('with one mention of the author it replies to, even if the text mentions them too', async () => {
    const question = await send(ada, { content: 'really?' });
    const body = { content: `<@${ada.id}>`, message_reference: answerTo(question) };
    expect((await send(bob, body)).mentionedUsers.map(({ id }) => id)).toEqual([ada.id]);
  });

  test('with its reactions in the order in which they came, and those of the reader marked', async () => {
    const { id } = await send(ada, { content: 'x' });
    const other = await send(ada, { content: 'y' });
    const react = async (user: User, emoji: string, messageId = id) => {
      await addReaction(callOf(app, user), { ...at(messageId), emoji });
      clock.advance(1000);
    };
    for (const emoji of ['😎', '👍', '🎉', '😀']) await react(ada, emoji);
    await react(bob, '👍');
    await react(bob, '🎉', other.id);
    const shown = (...mine: string[]) => [
      { emoji: '😎', count: 1, me: mine.includes('😎') },
      { emoji: '👍', count: 2, me: mine.includes('👍') },
      { emoji: '🎉', count: 1, me: mine.includes('🎉') },
      { emoji: '😀', count: 1, me: mine.includes('😀') },
    ];
    expect((await get(ada, id)).reactions).toEqual(shown('😎', '👍', '🎉', '😀'));
    expect((await get(bob, id)).reactions).toEqual(shown('👍'));
    expect((await get(bob, other.id)).reactions).toEqual([{ emoji: '🎉', count: 1, me: true }]);
    const anonymous = { ...callOf(app, ada), actor: { kind: 'anonymous' as const } };
    const counts = await countReactions(anonymous, [id, 1n]);
    expect([...counts]).toEqual([[id, shown()]]);
    expect(await statementsOf(() => countReactions(anonymous, []))).toEqual([]);
  });

  test('in its own channel only', async () => {
    const { id: aside } = await createChannel(callOf(app, guild.owner), guild.id, { name: 'aside' });
    const { id: messageId } = await send(ada, { content: 'x' }, aside);
    const call = callOf(app, ada);
    const there = { channelId: guild.channel.id, messageId };
    for (const attempt of [
      () => getMessage(call, there),
      () => deleteMessage(call, there),
      () => editMessage(call, { ...there, body: toEdit({ content: 'y' }) }),
      () => addReaction(call, { ...there, emoji: '👍' }),
      () => removeReaction(call, { ...there, emoji: '👍' }),
      () => clearReactions(callOf(app, guild.owner), there),
      () => listReactions(call, { ...there, emoji: '👍', limit: 1 }),
    ]) {
      expect(await outcome(attempt())).toBe('UNKNOWN_MESSAGE');
    }
    expect(await getMessage(call, { channelId: aside, messageId })).toMatchObject({ content: 'x' });
  });

  test('together with others, each with its own data', async () => {
    const sent = [await send(ada, { content: 'a' }), await send(bob, { content: `<@${ada.id}>` })];
    await addReaction(callOf(app, bob), { ...at(sent[0]?.id ?? 0n), emoji: '👍' });
    const listed = await listMessages(callOf(app, ada), { channelId: guild.channel.id, limit: 10 });
    expect(listed.map(({ content, mentionedUsers, reactions }) => [content, mentionedUsers, reactions])).toEqual([
      [`<@${ada.id}>`, [expect.objectContaining({ id: ada.id })], []],
      ['a', [], [{ emoji: '👍', count: 1, me: false }]],
    ]);
  });
});

describe('reactions', () => {
  test('are published with the user, the message and the member', async () => {
    const { id } = await send(ada, { content: 'x' });
    const { events } = hearGuild({ app }, guild.id);
    const add = () => addReaction(callOf(app, bob), { ...at(id), emoji: '👍' });
    await add();
    await add();
    await removeReaction(callOf(app, bob), { ...at(id), emoji: '👍' });
    const place = { channel_id: String(guild.channel.id), guild_id: String(guild.id), message_id: String(id) };
    const emoji = expect.objectContaining({ name: '👍' });
    expect(events.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
      [
        'MESSAGE_REACTION_ADD',
        expect.objectContaining({
          ...place,
          user_id: String(bob.id),
          message_author_id: String(ada.id),
          emoji,
          member: expect.objectContaining({ user: expect.objectContaining({ id: String(bob.id) }) }),
        }),
      ],
      ['MESSAGE_REACTION_REMOVE', expect.objectContaining({ ...place, user_id: String(bob.id), emoji })],
    ]);
  });

  test('of one emoji are removed, and the others stay', async () => {
    const { id } = await send(ada, { content: 'x' });
    for (const emoji of ['👍', '🎉']) await addReaction(callOf(app, bob), { ...at(id), emoji });
    const { events } = hearGuild({ app }, guild.id);
    await clearReactions(callOf(app, guild.owner), { ...at(id), emoji: '👍' });
    expect((await get(ada, id)).reactions).toEqual([{ emoji: '🎉', count: 1, me: false }]);
    expect(events.map(({ type, data }) => [type, JSON.parse(data).emoji?.name])).toEqual([
      ['MESSAGE_REACTION_REMOVE_EMOJI', '👍'],
    ]);
    const other = await send(ada, { content: 'y' });
    await clearReactions(callOf(app, guild.owner), at(other.id));
    expect((await get(ada, id)).reactions).toHaveLength(1);
    expect(events).toHaveLength(2);
  });

  test('are listed by user, in pages', async () => {
    const { id } = await send(ada, { content: 'x' });
    const carol = await createPerson(app);
    await addMember(app, guild.id, carol);
    for (const user of [carol, bob, ada]) await addReaction(callOf(app, user), { ...at(id), emoji: '👍' });
    await addReaction(callOf(app, guild.owner), { ...at(id), emoji: '🎉' });
    const list = async (limit: number, after?: bigint) => {
      const users = await listReactions(callOf(app, ada), { ...at(id), emoji: '👍', limit, after });
      return users.map((user) => user.id);
    };
    const all = [ada.id, bob.id, carol.id];
    expect(await list(100)).toEqual(all);
    expect(await list(2)).toEqual(all.slice(0, 2));
    expect(await list(100, ada.id)).toEqual(all.slice(1));
    expect(await list(100, ada.id - 1n)).toEqual(all);
    expect(await list(100, carol.id)).toEqual([]);
  });

  test('of a deleted user are refused, both as the first and as a later one', async () => {
    const { id } = await send(ada, { content: 'x' });
    const dan = await createPerson(app);
    await addMember(app, guild.id, dan);
    await startTyping(callOf(app, dan), { channelId: guild.channel.id });
    await app.db.writer.member.deleteMany({ where: { userId: dan.id } });
    await app.db.writer.user.delete({ where: { id: dan.id } });
    const react = () => outcome(addReaction(callOf(app, dan), { ...at(id), emoji: '👍' }));
    expect(await react()).toBe('UNKNOWN_MESSAGE');
    await addReaction(callOf(app, ada), { ...at(id), emoji: '👍' });
    expect(await react()).toBe('UNKNOWN_MESSAGE');
    expect((await get(ada, id)).reactions).toEqual([{ emoji: '👍', count: 1, me: true }]);
  });
});

test('an enforced nonce is valid for five minutes, to the millisecond', async () => {
  const body = { content: 'x', nonce: 'n', enforce_nonce: true };
  const first = await send(ada, body);
  const moment = (ms: number) => ({ ...app, clock: new ManualClock(snowflakeTime(first.id) + ms) });
  const again = (ms: number) =>
    sendMessage(callOf(moment(ms), ada), { channelId: guild.channel.id, body: toSend(body) });
  expect((await again(299_999)).id).toBe(first.id);
  const second = await again(300_000);
  expect(second.id).not.toBe(first.id);
  expect(await get(ada, first.id)).toMatchObject({ nonce: 'n', enforcedNonceKey: null });
  expect((await again(300_000)).id).toBe(second.id);
});

test('a text mentions at most a hundred of each kind', async () => {
  const ids = Array.from({ length: 99 }, (_, n) => n + 1);
  const text = (...more: bigint[]) => [...ids, ...more].map((id) => `<@${id}>`).join('');
  expect((await send(ada, { content: text(bob.id, ada.id) })).mentionedUsers.map(({ id }) => id)).toEqual([bob.id]);
});

describe('an edit', () => {
  test("by a moderator sets no time, and its event has the author's membership", async () => {
    const { id } = await send(ada, { content: 'x' });
    const { events } = hearGuild({ app }, guild.id);
    await editMessage(callOf(app, guild.owner), { ...at(id), body: toEdit({ flags: 4 }) });
    expect(await get(ada, id)).toMatchObject({ flags: 4, editedAt: null });
    await editMessage(callOf(app, ada), { ...at(id), body: toEdit({ content: 'y' }) });
    expect(await get(ada, id)).toMatchObject({ flags: 4, editedAt: new Date(clock.now()), content: 'y' });
    const joined = await app.db.reader.member.findFirst({ where: { guildId: guild.id, userId: ada.id } });
    for (const { data } of events) {
      expect(new Date(JSON.parse(data).member.joined_at)).toEqual(joined?.joinedAt);
    }
    expect(events.map(({ type }) => type)).toEqual(['MESSAGE_UPDATE', 'MESSAGE_UPDATE']);
    await leaveGuild(callOf(app, ada), guild.id);
    await editMessage(callOf(app, guild.owner), { ...at(id), body: toEdit({ flags: 0 }) });
    expect(JSON.parse(events.at(-1)?.data ?? '')).not.toHaveProperty('member');
  });

  test('still mentions the author that the message replies to', async () => {
    const question = await send(ada, { content: 'really?' });
    const { id } = await send(bob, { content: 'yes', message_reference: answerTo(question) });
    const edited = await editMessage(callOf(app, bob), { ...at(id), body: toEdit({ content: 'no' }) });
    expect(edited.mentionedUsers.map((user) => user.id)).toEqual([ada.id]);
    expect(edited.referenced?.id).toBe(question.id);
  });
});

describe('typing', () => {
  test('is published with the user and the time', async () => {
    const { events } = hearGuild({ app }, guild.id);
    await startTyping(callOf(app, ada), { channelId: guild.channel.id });
    expect(events.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
      [
        'TYPING_START',
        {
          channel_id: String(guild.channel.id),
          guild_id: String(guild.id),
          user_id: String(ada.id),
          timestamp: Math.floor(clock.now() / 1000),
          member: expect.objectContaining({ user: expect.objectContaining({ id: String(ada.id) }) }),
        },
      ],
    ]);
  });

  test('requires a channel with messages', async () => {
    const owner = callOf(app, guild.owner);
    const { id } = await createChannel(owner, guild.id, { name: 'category', type: 4 });
    expect(await outcome(startTyping(owner, { channelId: id }))).toBe('WRONG_CHANNEL_TYPE');
    expect(await outcome(send(guild.owner, { content: 'x' }, id))).toBe('WRONG_CHANNEL_TYPE');
  });
});

test("deleting another author's message is audited with that author and the channel", async () => {
  const { id } = await send(ada, { content: 'x' });
  await deleteMessage(callOf(app, guild.owner), at(id));
  const where = { guildId: guild.id, action: 'MESSAGE_DELETE' };
  expect(await app.db.reader.auditEntry.findMany({ where })).toMatchObject([
    {
      actorId: guild.owner.id,
      targetId: ada.id,
      changes: { channelId: String(guild.channel.id), messageId: String(id) },
    },
  ]);
  const { user: bot } = await createBot(app);
  await addMember(app, guild.id, bot);
  const own = await send(bot, { content: 'x' });
  await deleteMessage(callOf(app, bot), at(own.id));
  expect(await app.db.reader.auditEntry.count({ where })).toBe(1);
});
