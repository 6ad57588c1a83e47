import { beforeEach, describe, expect } from 'vitest';
import { callContext } from '../../../src/context.js';
import { namedEmoji } from '../../../src/domain/messages/content/emoji.js';
import { addReaction, clearReactions, removeReaction } from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { test } from '../../harness/fixtures.js';
import { readingTogether } from '../../harness/interleave.js';
import { outcome } from '../../harness/outcome.js';
import type { TestServer } from '../../harness/server.js';
import { openRoom, type Room } from './scene.js';

let server: TestServer;
let room: Room;
let place: { channelId: bigint; messageId: bigint };

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
  await room.permit(ALL_PERMISSIONS);
  place = { channelId: room.channelId, messageId: await room.say() };
  room.events.length = 0;
});

const EMOJIS = [...'😀😁😂😃😄😅😆😇😈😉😊😋😌😍😎😏😐😑😒😓😔😕😖😗😘'];

const stored = () => server.app.db.reader.reaction.findMany({ where: { messageId: place.messageId } });
const types = () => room.events.map(({ type }) => type);

describe('adding', () => {
  test('ten times at once is one reaction and one event', async () => {
    const attempts = Array.from({ length: 10 }, () => outcome(addReaction(room.bob, { ...place, emoji: '👍' })));
    expect(await Promise.all(attempts)).toEqual(Array(10).fill('ok'));
    expect(await stored()).toHaveLength(1);
    expect(types()).toEqual(['MESSAGE_REACTION_ADD']);
  });

  test('25 distinct emojis at once succeeds for 20', async () => {
    const results = await Promise.all(EMOJIS.map((emoji) => outcome(addReaction(room.bob, { ...place, emoji }))));
    expect(results.filter((result) => result === 'ok')).toHaveLength(20);
    expect(results.filter((result) => result === 'TOO_MANY_REACTIONS')).toHaveLength(5);
    expect(await stored()).toHaveLength(20);
    const [known] = await stored();
    expect(await outcome(addReaction(room.ada, { ...place, emoji: known?.emoji ?? '' }))).toBe('ok');
  });

  test('the twentieth emoji by two users who both found none: both reactions stay', async () => {
    const { app } = server;
    for (const emoji of EMOJIS.slice(0, 19)) await addReaction(room.bob, { ...place, emoji });
    const together = readingTogether(app, 'reaction.findFirst', 2);
    const calls = [room.ada, room.bob].map(({ actor }) => callContext(together, actor));
    await Promise.all(calls.map((call) => addReaction(call, { ...place, emoji: '👍' })));
    expect((await stored()).filter(({ emoji }) => emoji === '👍')).toHaveLength(2);
    expect(await outcome(addReaction(room.ada, { ...place, emoji: '👎' }))).toBe('TOO_MANY_REACTIONS');
  });

  test('an emoji while it is removed and another one takes its place leaves 20 at most', async () => {
    const [last = '', other = '', ...rest] = EMOJIS.slice(0, 21);
    for (let round = 0; round < 40; round += 1) {
      place = { ...place, messageId: await room.say() };
      const data = [last, ...rest].map((emoji) => ({
        messageId: place.messageId,
        emoji,
        userId: room.users.bob.id,
        createdAt: new Date(),
      }));
      await server.app.db.writer.reaction.createMany({ data });
      const [removed, ...added] = await Promise.all([
        outcome(removeReaction(room.bob, { ...place, emoji: last })),
        outcome(addReaction(room.owner, { ...place, emoji: other })),
        outcome(addReaction(room.ada, { ...place, emoji: last })),
      ]);
      expect(removed).toBe('ok');
      expect(added.sort()).toEqual(['TOO_MANY_REACTIONS', 'ok']);
      expect(await stored()).toHaveLength(20);
    }
  });

  test('❤ and ❤️ by two users who both found neither: both reactions have one name', async () => {
    const together = readingTogether(server.app, 'reaction.findFirst', 2);
    const reactions = [
      { who: room.ada, emoji: '❤' },
      { who: room.bob, emoji: '❤\ufe0f' },
    ];
    await Promise.all(
      reactions.map(({ who, emoji }) => addReaction(callContext(together, who.actor), { ...place, emoji })),
    );
    const names = (await stored()).map(({ emoji }) => emoji);
    expect(names).toHaveLength(2);
    expect(new Set(names).size).toBe(1);
    expect(room.events.map(({ data }) => JSON.parse(data).emoji.name)).toEqual(names);
  });

  test('an existing emoji does not need the permission to add a new one', async () => {
    await addReaction(room.bob, { ...place, emoji: '👍' });
    await room.permit(ALL_PERMISSIONS & ~Permission.AddReactions & ~Permission.Administrator);
    expect(await outcome(addReaction(room.ada, { ...place, emoji: '👍' }))).toBe('ok');
    expect(await outcome(addReaction(room.ada, { ...place, emoji: '👎' }))).toBe('MISSING_PERMISSIONS');
    expect(await stored()).toHaveLength(2);
  });
});

describe('removing', () => {
  beforeEach(async () => {
    await addReaction(room.ada, { ...place, emoji: '👍' });
    await addReaction(room.bob, { ...place, emoji: '👍' });
    await addReaction(room.bob, { ...place, emoji: '👎' });
    room.events.length = 0;
  });

  test('a missing reaction causes no error and no event', async () => {
    await removeReaction(room.ada, { ...place, emoji: '👎' });
    await removeReaction(room.ada, { ...place, emoji: '👍', userId: 1n });
    await clearReactions(room.ada, { ...place, emoji: '🎉' });
    expect([await stored(), types()]).toEqual([expect.arrayContaining(Array(3).fill(expect.anything())), []]);
  });

  test('one reaction, one emoji, or all publishes one event each', async () => {
    await removeReaction(room.ada, { ...place, emoji: '👎', userId: room.users.bob.id });
    expect(await stored()).toHaveLength(2);
    await clearReactions(room.ada, { ...place, emoji: '👍' });
    expect(await stored()).toHaveLength(0);
    await addReaction(room.bob, { ...place, emoji: '🎉' });
    await clearReactions(room.ada, place);
    expect(await stored()).toHaveLength(0);
    expect(types()).toEqual([
      'MESSAGE_REACTION_REMOVE',
      'MESSAGE_REACTION_REMOVE_EMOJI',
      'MESSAGE_REACTION_ADD',
      'MESSAGE_REACTION_REMOVE_ALL',
    ]);
  });
});

describe('a named emoji', () => {
  test.each([
    ['👍', ['👍']],
    ['❤', ['❤', '❤\ufe0f']],
    ['❤\ufe0f', ['❤\ufe0f', '❤']],
    ['👩‍💻', ['👩‍💻']],
    ['🇩🇪', ['🇩🇪']],
    ['🇩', ['🇩']],
    ['1\u20e3', ['1\u20e3', '1\ufe0f\u20e3']],
    ['1\ufe0f\u20e3', ['1\ufe0f\u20e3', '1\u20e3']],
    ['🏳\u200d🌈', ['🏳\u200d🌈', '🏳\ufe0f\u200d🌈']],
    ['🕵\ufe0f\u200d♂', ['🕵\ufe0f\u200d♂\ufe0f', '🕵\u200d♂']],
    ['👋🏽', ['👋🏽']],
    ['✌\ufe0f🏽', ['✌🏽']],
    ['👍\ufe0f', ['👍']],
  ])('%s has the keys %j', (text, keys) => {
    expect(namedEmoji(text)).toEqual({ keys });
  });

  test('can be each that Unicode recommends, with and without its selectors, and each regional indicator', () => {
    const singles = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code))
      // The second pattern takes a tenth of a millisecond per text.
      .filter((character) => /^\p{Emoji}$/u.test(character))
      .flatMap((character) => [character, `${character}\ufe0f`])
      .filter((text) => /^\p{RGI_Emoji}$/v.test(text));
    const keycaps = [...'#*0123456789'].map((character) => `${character}\ufe0f\u20e3`);
    const letters = Array.from({ length: 26 }, (_, letter) => String.fromCodePoint(0x1f1e6 + letter));
    const texts = [...singles, ...keycaps, ...letters];
    expect(texts.length).toBeGreaterThan(1400);
    for (const text of texts) {
      const bare = text.replaceAll('\ufe0f', '');
      expect(namedEmoji(text)).toEqual({ keys: bare === text ? [text] : [text, bare] });
      expect(namedEmoji(bare)).toEqual({ keys: bare === text ? [text] : [bare, text] });
    }
  });

  test.each(['name:123', 'a:name:123'])('%s is parsed as its id', (text) => {
    expect(namedEmoji(text)).toEqual({ id: 123n });
  });

  test.each([
    '',
    'a',
    '1',
    '1\ufe0f',
    '👍👍',
    ' 👍',
    '\ufe0f👍',
    '👍\ufe0f\ufe0f',
    'thumbsup',
    ':123',
    'na me:123',
    `name:${'9'.repeat(25)}`,
    '\ufe0f',
    '\u20e3',
    '🇩🇪🇩',
    '\ud83d',
    '\u0000',
  ])('"%s" is refused', (text) => {
    expect(() => namedEmoji(text)).toThrow('Unknown Emoji');
  });
});
