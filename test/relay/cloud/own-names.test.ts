import { describe, expect, it } from 'vitest';
import { boxSnowflakes, snowflakes } from '../../../src/infra/ids/ids.js';
import { namesOnlyItsOwn } from '../../../src/relay/cloud/own-names.js';
import { renderUser } from '../../../src/wire/users.js';
import { ManualClock } from '../../harness/clock.js';

const SPACE = 5_000;
const NOBODY = { handle: null, globalName: null, avatarHash: null, deletedAt: null };
const clock = new ManualClock();
const nextOwn = boxSnowflakes(clock, SPACE);
const nextOfBox = boxSnowflakes(clock, SPACE + 1);
const nextOfCloud = snowflakes(clock, 1);
const own = () => String(nextOwn());
const guild = own();
const channel = own();
/** A user of the cloud, for example the owner of a bot. */
const stranger = String(nextOfCloud());
const cloudGuild = String(nextOfCloud());
const neighbour = String(nextOfBox());
const bot = String(nextOfCloud());

const shownBot = renderUser({ ...NOBODY, id: BigInt(bot), username: 'helper', bot: true });
const [webhook, elsewhere] = [String(nextOfCloud()), String(nextOfCloud())];
const webhooks = new Map([
  [webhook, { guildId: BigInt(guild), applicationId: BigInt(bot) }],
  [elsewhere, { guildId: BigInt(cloudGuild), applicationId: BigInt(bot) }],
]);

const of = {
  idSpace: SPACE,
  guildIds: new Set([BigInt(guild)]),
  bots: {
    userOf: (id: bigint) => (String(id) === bot ? shownBot : null),
    webhookOf: (id: bigint) => webhooks.get(String(id)) ?? null,
  },
};

const person = (id = own()) => ({ id, username: 'ada', global_name: null, avatar: null });
const botUser = { id: bot, username: 'helper', bot: true };
const membership = () => ({ roles: [own()], joined_at: '2026-01-02T03:04:05+00:00', nick: null });

const message = (fields: object = {}) => ({
  id: own(),
  channel_id: channel,
  guild_id: guild,
  author: person(),
  member: membership(),
  content: `<@${stranger}> ${cloudGuild}`,
  mentions: [person(), botUser],
  mention_roles: [own()],
  attachments: [{ id: own(), filename: 'a.png' }],
  embeds: [{ author: { name: 'x' }, fields: [{ name: stranger, value: stranger }] }],
  components: [{ type: 1, components: [{ type: 2, custom_id: stranger }] }],
  reactions: [{ emoji: { id: stranger, name: 'blob' }, count: 1 }],
  application_id: bot,
  nonce: stranger,
  ...fields,
});

describe('R-35: a box may name its own objects and bots of the cloud', () => {
  it.each<[string, unknown]>([
    ['a message', message()],
    [
      'a refusal of fields that are called like ids',
      { code: 50_035, message: 'x', errors: { channel_id: { _errors: [{ code: 'x', message: stranger }] }, user: {} } },
    ],
    ['a page of messages', Array.from({ length: 100 }, () => message({ author: botUser }))],
    [
      'a message that answers another',
      message({ referenced_message: message(), message_reference: { message_id: own() } }),
    ],
    [
      'an answer to a command',
      message({
        interaction_metadata: { id: stranger, type: 2, user: person(), authorizing_integration_owners: { 0: guild } },
      }),
    ],
    ['a member', { ...membership(), user: person(), guild_id: guild }],
    [
      'a channel',
      { id: channel, type: 0, guild_id: guild, parent_id: null, permission_overwrites: [{ id: bot, type: 1 }] },
    ],
    ['a role of a bot', { guild_id: guild, role: { id: own(), tags: { bot_id: bot } } }],
    ['a region, which has a name for an id', [{ id: 'us-west', name: 'US West' }]],
    [
      'an entry of an audit log',
      {
        audit_log_entries: [
          { id: own(), user_id: bot, target_id: stranger, changes: [{ key: 'owner_id', new_value: stranger }] },
        ],
        users: [person(), botUser],
        webhooks: [{ id: stranger, channel_id: channel, guild_id: guild, application_id: bot }],
        integrations: [{ id: stranger, application: { id: bot, bot: botUser } }],
      },
    ],
    ['what a webhook posted', message({ author: { ...botUser }, webhook_id: webhook })],
    ['nothing', null],
  ])('%s', async (_what, value) => {
    expect(await namesOnlyItsOwn(JSON.parse(JSON.stringify(value)), of)).toBeNull();
  });
});

describe('R-35: a box may name nothing else', () => {
  const user = person(stranger);
  it.each<[string, unknown]>([
    ["a message of the bot's owner", message({ author: user })],
    ['an author without a name', message({ author: { id: stranger } })],
    ['an author who says to be a bot and is none', message({ author: { ...user, bot: true } })],
    ['a bot that does not say that it is one', message({ author: { ...botUser, bot: undefined } })],
    ['an author without an id', message({ author: { username: 'ada' } })],
    ['an id as a number', message({ author: { ...user, id: Number(stranger) } })],
    ['an id that other parsers read as one', message({ author: { ...user, id: ` ${stranger}` } })],
    ['an author of a neighbour', message({ author: person(neighbour) })],
    ['a mentioned user', message({ mentions: [user] })],
    ['a member inside', message({ member: { ...membership(), user } })],
    ['the answered message', message({ referenced_message: message({ author: user }) })],
    ['a snapshot of a message', message({ message_snapshots: [{ message: message({ author: user }) }] })],
    ['the guild of a reference', message({ message_reference: { guild_id: cloudGuild } })],
    ['who asked by a command', message({ interaction_metadata: { id: own(), user } })],
    [
      'who asked first',
      message({ interaction_metadata: { id: own(), triggering_interaction_metadata: { id: own(), user } } }),
    ],
    ['by whose install', message({ interaction_metadata: { authorizing_integration_owners: { 1: stranger } } })],
    [
      'to which guild an install was',
      message({ interaction_metadata: { authorizing_integration_owners: { 0: cloudGuild } } }),
    ],
    ['the older form of that', message({ interaction: { id: own(), user } })],
    ["another's message by its id", message({ id: String(nextOfCloud()) })],
    ["another's message that was deleted", { id: String(nextOfCloud()), channel_id: channel, guild_id: guild }],
    ["others' messages that were deleted", { ids: [own(), stranger], channel_id: channel, guild_id: guild }],
    ['another guild', message({ guild_id: cloudGuild })],
    ['a guild of its own that it is not about', message({ guild_id: own() })],
    ["another's channel", message({ channel_id: String(nextOfCloud()) })],
    ['who reacts', { user_id: stranger, channel_id: channel, message_id: own() }],
    ['whose message is reacted to', { message_author_id: stranger, channel_id: channel }],
    ['who owns a guild', { id: guild, owner_id: stranger }],
    ['a list of users', [person(), user]],
    ['members', [{ ...membership(), user }]],
    ['users of an audit log', { users: [user], audit_log_entries: [] }],
    ['who did what an audit log has', { audit_log_entries: [{ id: own(), user_id: stranger }] }],
    ['an emoji of another guild', { guild_id: guild, emojis: [{ id: stranger, name: 'blob' }] }],
    ['a channel within a guild', { id: guild, channels: [{ id: stranger, type: 0 }] }],
    ['who is in voice', { guild_id: guild, user_id: stranger, channel_id: channel }],
    ['a user in an unknown field', { some_new_thing: { somebody: user } }],
    ["a key that is an object's prototype", JSON.parse(`{"__proto__": {"user": ${JSON.stringify(user)}}}`)],
    ["what another's webhook posted", message({ author: { ...botUser }, webhook_id: elsewhere })],
    ['what a webhook posted that there is not', message({ author: { ...botUser }, webhook_id: stranger })],
    ['what a webhook posted, in the name of a person', message({ webhook_id: webhook })],
    ['a user as the key of a map', message({ resolved: { members: { [stranger]: { nick: 'x' } } } })],
    ['a picture that leads elsewhere', message({ author: { ...person(), avatar: '../../etc' } })],
    ['the icon of a guild that leads elsewhere', { id: guild, icon: 'javascript:alert(1)' }],
    ...['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', '//a.example/x', 7].map(
      (url): [string, unknown] => [`a file at ${url}`, message({ attachments: [{ id: own(), url }] })],
    ),
    ['lists in lists', JSON.parse('['.repeat(50) + ']'.repeat(50))],
    ['more values than the limit', Array.from({ length: 200_001 }, () => ({}))],
  ])('%s', async (_what, value) => {
    expect(await namesOnlyItsOwn(value, of)).toEqual(expect.any(String));
  });

  it('and stops after the first unknown id when it checks for bots', async () => {
    const asked: bigint[] = [];
    const userOf = (id: bigint) => (asked.push(id) < 0 ? shownBot : null);
    const made = Array.from({ length: 100 }, () => ({ id: String(nextOfCloud()) }));
    expect(await namesOnlyItsOwn(made, { ...of, bots: { ...of.bots, userOf } })).toContain(String(made[0]?.id));
    expect(asked).toHaveLength(1);
  });
});

describe('R-35: a bot of the cloud looks as the cloud says, whatever a box sends', () => {
  it.each<[string, (user: object) => unknown]>([
    ['as an author', (author) => message({ author })],
    ['where it is mentioned', (user) => message({ mentions: [user] })],
    ['in an answered message', (author) => message({ referenced_message: message({ author }) })],
    ['as a member', (user) => ({ ...membership(), user })],
    ['under a name of its own', (user) => ({ some_new_thing: { somebody: user } })],
  ])('%s', async (_where, withUser) => {
    const member = membership();
    const user = { ...botUser, username: 'Bank', avatar: 'abc', public_flags: 1, banner: 'def', member };
    const value = withUser(user);
    expect(await namesOnlyItsOwn(value, of)).toBeNull();
    expect(user).toEqual({ ...shownBot, member });
    expect(JSON.stringify(value)).not.toContain('Bank');
  });
});

it('checking a page of 100 messages takes less than four times as long as parsing it', async () => {
  const page = Array.from({ length: 100 }, () => message());
  const text = JSON.stringify(page);
  let leastMs = { parse: Number.POSITIVE_INFINITY, check: Number.POSITIVE_INFINITY };
  for (let run = 0; run < 200; run += 1) {
    const start = performance.now();
    JSON.parse(text);
    const parsed = performance.now();
    await namesOnlyItsOwn(page, of);
    const checked = performance.now();
    leastMs = {
      parse: Math.min(leastMs.parse, parsed - start),
      check: Math.min(leastMs.check, checked - parsed),
    };
  }
  expect(leastMs.check).toBeLessThan(4 * leastMs.parse);
});
