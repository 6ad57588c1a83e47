import { expect, it } from 'vitest';
import { checkSession, type Dispatched } from './check.js';
import { Journal } from './journal.js';

const GUILD = '1';
const CHANNEL = '2';

/** Sessions of this bot got the messages 10 to 12, which exist, unless `dispatches` says otherwise. */
function check(dispatches: Omit<Dispatched, 's' | 'at'>[], journal = new Journal(), numbers?: number[]) {
  const numbered = dispatches.map((one, n) => ({ ...one, s: numbers?.[n] ?? n + 1, at: 10 * n }));
  const record = { name: 'bot', botId: '9', dispatches: numbered, resumes: 0, ending: null };
  return checkSession(record, { journal, messages: new Map([[CHANNEL, ['10', '11', '12']]]) });
}

const guildWith = (last: string | null) => ({
  t: 'GUILD_CREATE',
  d: { id: GUILD, channels: [{ id: CHANNEL, last_message_id: last }] },
});
const unavailable = { t: 'GUILD_DELETE', d: { id: GUILD, unavailable: true } };
const message = (id: string, channelId = CHANNEL) => ({
  t: 'MESSAGE_CREATE',
  d: { id, channel_id: channelId, guild_id: GUILD, content: id },
});
const deletion = (id: string) => ({ t: 'MESSAGE_DELETE', d: { id, channel_id: CHANNEL, guild_id: GUILD } });
const edit = (id: string) => ({ t: 'MESSAGE_UPDATE', d: { id, guild_id: GUILD, edited_timestamp: 'noon' } });

const all = [guildWith(null), message('10'), message('11'), message('12')];

it('finds nothing in a complete session', () => {
  expect(check(all)).toMatchObject({ faults: [], gaps: 0, missed: 0 });
});

it('counts the messages that a guild includes when it is sent again', () => {
  expect(check([guildWith(null), message('10'), unavailable, guildWith('12')])).toMatchObject({
    ...{ faults: [], gaps: 1, missed: 2 },
  });
});

it.each([
  ['a missing number', all, [1, 2, 4, 5]],
  ['a missing message', [guildWith(null), message('10'), message('12')], undefined],
  ['a missing last message', [guildWith(null), message('10'), message('11')], undefined],
  ['a repeated message', [...all, message('12')], undefined],
  ['a message before an earlier one', [guildWith(null), message('11'), message('10'), message('12')], undefined],
  ['a message after its deletion', [guildWith('11'), deletion('12'), message('12')], undefined],
  ['a repeated edit', [...all, edit('10'), edit('10')], undefined],
  ['a message of an unknown channel', [...all, message('13', '3')], undefined],
  ['a message of an unavailable guild', [...all, unavailable, message('13')], undefined],
  ['a guild that is sent again without a gap', [...all, guildWith('12')], undefined],
])('finds %s', (_what, dispatches, numbers) => {
  expect(check(dispatches, new Journal(), numbers).faults).not.toEqual([]);
});

const sent = { guildId: GUILD, channelId: CHANNEL, content: '11', id: '11', startedAt: 5, answeredAt: 6 };
const hiding = { botId: '9', placeId: CHANNEL, isVisible: false, startedAt: 1, answeredAt: 2 };

it.each([
  ['was hidden', []],
  ['is shown after it was received', [{ ...hiding, startedAt: 21, answeredAt: 22, isVisible: true }]],
])('finds a message that %s', (_when, shown) => {
  const journal = new Journal();
  journal.sent.push(sent);
  journal.sights.push(hiding, ...shown);
  expect(check(all, journal).faults).toEqual(['bot: MESSAGE_CREATE 11 (s 3) was sent while it was hidden']);
});

it.each([
  ['is shown at the same time', { startedAt: 4, answeredAt: 7 }],
  ['is shown before the message is received', { startedAt: 10, answeredAt: 11 }],
  ['was shown before', { startedAt: 3, answeredAt: 4 }],
  ['may have been shown before', { startedAt: 3, answeredAt: Number.POSITIVE_INFINITY }],
])('allows a message of a channel that %s', (_when, span) => {
  const journal = new Journal();
  journal.sent.push(sent);
  journal.sights.push(hiding, { ...hiding, ...span, isVisible: true });
  expect(check(all, journal).faults).toEqual([]);
});
