import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../../src/domain/events.js';
import type { User } from '../../../../src/infra/database/index.js';
import { boxSnowflakes, snowflakes } from '../../../../src/infra/ids/ids.js';
import { stampDispatch } from '../../../../src/relay/cloud/events/dispatches.js';
import { DISPATCHED, type DispatchedName } from '../../../../src/relay/protocol/messages.js';
import { renderEvent } from '../../../../src/wire/events/index.js';
import { renderUser } from '../../../../src/wire/users.js';
import { ManualClock } from '../../../harness/clock.js';
import { PLAIN_MESSAGE } from '../../../harness/guild-home.js';
import { PLAIN_CHANNEL, PLAIN_GUILD, PLAIN_MEMBER } from '../../../harness/plain-columns.js';

const options = { publicUrl: 'https://box.example', signatures: { sign: (path: string) => path } };
const SPACE = 4_096;
const clock = new ManualClock(Date.UTC(2026, 0, 2));
const next = boxSnowflakes(clock, SPACE);
const cloudId = snowflakes(clock, 1);

const person = (facts: Partial<User> = {}): User => {
  const id = facts.id ?? next();
  const names = { username: `user${id}`, handle: null, globalName: 'Ada' };
  return { id, ...names, avatarHash: null, bot: false, deletedAt: null, ...facts };
};
const guildId = next();
const channelId = next();
const messageId = next();
const owner = person();
const bot = person({ id: cloudId(), bot: true });
const of = {
  idSpace: SPACE,
  guildIds: new Set([guildId]),
  bots: {
    userOf: (id: bigint) => (id === bot.id ? renderUser(bot) : null),
    webhookOf: () => null,
    isInstalled: (id: bigint) => id === bot.id,
    wasInstalled: (id: bigint) => id === bot.id,
  },
};

const joinedAt = new Date(clock.now());
const facts = { ...PLAIN_MEMBER, nick: 'heron', joinedAt, roleIds: [next()] };
const memberOf = (user: User) => ({
  ...PLAIN_MEMBER,
  guildId,
  userId: user.id,
  user,
  joinedAt,
  roles: [{ roleId: guildId }],
});
const role = {
  id: next(),
  guildId,
  name: 'helpers',
  permissions: 8n,
  position: 3,
  color: 255,
  hoist: true,
  mentionable: true,
  managed: true,
  applicationId: bot.id,
};
const channel = {
  ...PLAIN_CHANNEL,
  id: channelId,
  guildId,
  type: 0,
  name: 'general',
  topic: null,
  position: 0,
  parentId: null,
  nsfw: false,
  rateLimitPerUser: 0,
  overwrites: [{ channelId, targetId: bot.id, targetType: 1, allow: 8n, deny: 0n }],
};
const guild = {
  ...PLAIN_GUILD,
  id: guildId,
  name: 'Home',
  description: null,
  iconHash: null,
  ownerId: owner.id,
  roles: [role],
  emojis: [],
};
const message = (more: object = {}) => ({
  id: messageId,
  channelId,
  guildId,
  authorId: owner.id,
  author: owner,
  ...PLAIN_MESSAGE,
  mentionedUsers: [bot],
  embeds: [{ title: 'hidden' }],
  ...more,
});
const answering = message({
  author: bot,
  authorId: bot.id,
  referenceId: next(),
  referenced: message({ id: next(), content: 'asked', mentionedUsers: [] }),
});
const place = { guildId, channelId };
const on = { ...place, messageId };

/** At least one event of each name, as the box has it in its own domain. */
const EVENTS: { [Name in DispatchedName]: (DomainEvent & { type: Name })[] } = {
  MESSAGE_CREATE: [
    { type: 'MESSAGE_CREATE', message: message(), member: facts },
    { type: 'MESSAGE_CREATE', message: answering, member: null },
    { type: 'MESSAGE_CREATE', message: message({ referenceId: next(), referenced: null }), member: facts },
  ],
  MESSAGE_UPDATE: [{ type: 'MESSAGE_UPDATE', message: answering, member: facts }],
  MESSAGE_DELETE: [{ type: 'MESSAGE_DELETE', ...on }],
  MESSAGE_DELETE_BULK: [{ type: 'MESSAGE_DELETE_BULK', ...place, messageIds: [messageId, next()] }],
  MESSAGE_REACTION_ADD: [
    { type: 'MESSAGE_REACTION_ADD', ...on, emoji: '👍', messageAuthorId: owner.id, user: bot, member: facts },
    {
      type: 'MESSAGE_REACTION_ADD',
      ...on,
      emoji: `blob:${cloudId()}`,
      messageAuthorId: bot.id,
      user: owner,
      member: null,
    },
  ],
  MESSAGE_REACTION_REMOVE: [{ type: 'MESSAGE_REACTION_REMOVE', ...on, emoji: '👍', userId: owner.id }],
  MESSAGE_REACTION_REMOVE_ALL: [{ type: 'MESSAGE_REACTION_REMOVE_ALL', ...on }],
  MESSAGE_REACTION_REMOVE_EMOJI: [{ type: 'MESSAGE_REACTION_REMOVE_EMOJI', ...on, emoji: '👍' }],
  CHANNEL_CREATE: [{ type: 'CHANNEL_CREATE', channel }],
  CHANNEL_UPDATE: [{ type: 'CHANNEL_UPDATE', channel: { ...channel, type: 2 }, lastMessageId: messageId }],
  CHANNEL_DELETE: [{ type: 'CHANNEL_DELETE', channel: { ...channel, type: 4 }, lastMessageId: null }],
  CHANNEL_PINS_UPDATE: [
    { type: 'CHANNEL_PINS_UPDATE', ...place, lastPinAt: joinedAt },
    { type: 'CHANNEL_PINS_UPDATE', ...place, lastPinAt: null },
  ],
  GUILD_UPDATE: [{ type: 'GUILD_UPDATE', guild }],
  GUILD_MEMBER_ADD: [{ type: 'GUILD_MEMBER_ADD', member: memberOf(owner) }],
  GUILD_MEMBER_REMOVE: [{ type: 'GUILD_MEMBER_REMOVE', guildId, user: bot }],
  GUILD_MEMBER_UPDATE: [{ type: 'GUILD_MEMBER_UPDATE', member: memberOf(bot) }],
  GUILD_BAN_ADD: [{ type: 'GUILD_BAN_ADD', guildId, user: owner }],
  GUILD_BAN_REMOVE: [{ type: 'GUILD_BAN_REMOVE', guildId, user: owner }],
  GUILD_ROLE_CREATE: [{ type: 'GUILD_ROLE_CREATE', role }],
  GUILD_ROLE_UPDATE: [{ type: 'GUILD_ROLE_UPDATE', role }],
  GUILD_ROLE_DELETE: [{ type: 'GUILD_ROLE_DELETE', guildId, roleId: role.id }],
  TYPING_START: [{ type: 'TYPING_START', ...place, user: owner, member: facts, startedAt: clock.now() }],
  VOICE_STATE_UPDATE: [channelId, null].map((to) => ({
    type: 'VOICE_STATE_UPDATE',
    state: {
      guildId,
      userId: owner.id,
      channelId: to,
      sessionId: 'abc',
      selfMute: true,
      selfDeaf: false,
      selfVideo: false,
      suppress: false,
      member: memberOf(owner),
    },
  })),
};

const sent = (event: DomainEvent) => JSON.parse(renderEvent(event, options).message.data) as Record<string, unknown>;

describe('R-34: an event of a box gets the same metadata as in the cloud', () => {
  it.each(DISPATCHED.flatMap((name) => EVENTS[name].map((event, at) => [name, at, event] as const)))(
    '%s %i',
    async (name, _at, event) => {
      const { message, ...rest } = renderEvent(event, options);
      // Streams of boxes have no clocks, so that nothing is known to have changed since.
      const { changes: _changes, embedded: _embedded, ...stamped } = message;
      expect(await stampDispatch({ t: name, d: sent(event) }, of)).toEqual({ ...rest, message: stamped });
    },
  );

  it('unknown parts of a message are only for bots that may read its content', async () => {
    const poll = { poll: { question: { text: 'hidden' } } };
    const { referenced_message: answered, ...rest } = sent({
      type: 'MESSAGE_CREATE',
      message: answering,
      member: null,
    });
    const d = { ...rest, ...poll, referenced_message: { ...(answered as object), ...poll } };
    const stamped = await stampDispatch({ t: 'MESSAGE_CREATE', d }, of);
    if ('refusal' in stamped) throw new Error(stamped.refusal);
    const { data, content } = stamped.message;
    expect(JSON.parse(data)).toEqual(d);
    expect(content?.redacted).not.toContain('hidden');
    expect(content?.redacted).not.toContain('asked');
    const withoutReply = JSON.parse(content?.withoutReply ?? '');
    expect(withoutReply.embeds).toEqual([{ title: 'hidden' }]);
    expect(JSON.stringify(withoutReply.referenced_message)).not.toContain('hidden');
  });
});

describe('R-34, R-35: an event is left out', () => {
  const created = () => sent(EVENTS.MESSAGE_CREATE[0] ?? { type: 'MESSAGE_DELETE', ...on });
  it.each<[string, string, Record<string, unknown>]>([
    ['that is none of a box', 'GUILD_DELETE', { id: String(guildId), guild_id: String(guildId) }],
    ['that is none at all', 'constructor', { guild_id: String(guildId) }],
    ['of a guild that was not announced', 'MESSAGE_CREATE', { ...created(), guild_id: String(next()) }],
    ['of no guild', 'MESSAGE_CREATE', { ...created(), guild_id: undefined }],
    ['of no guild by its own id', 'GUILD_UPDATE', { ...sent({ type: 'GUILD_UPDATE', guild }), id: String(next()) }],
    ['that is for one person alone', 'MESSAGE_CREATE', { ...created(), flags: 64 }],
    [
      "whose author is a person of the cloud's",
      'MESSAGE_CREATE',
      {
        ...created(),
        author: { id: String(cloudId()), username: 'owner' },
      },
    ],
    ['that has no author', 'MESSAGE_CREATE', { ...created(), author: undefined }],
    ['that has no list of embeds', 'MESSAGE_UPDATE', { ...created(), embeds: 'none' }],
    [
      "of a channel of the cloud's",
      'TYPING_START',
      {
        guild_id: String(guildId),
        channel_id: String(cloudId()),
        user_id: String(owner.id),
        timestamp: 1,
      },
    ],
    ['of a role without the role', 'GUILD_ROLE_CREATE', { guild_id: String(guildId) }],
    ['of a member without their user', 'GUILD_MEMBER_ADD', { guild_id: String(guildId), roles: [] }],
  ])('%s', async (_what, t, d) => {
    expect(await stampDispatch({ t, d }, of)).toEqual({ refusal: expect.any(String) });
  });

  it('a refusal names the path and not the value', async () => {
    const { refusal } = (await stampDispatch({ t: 'MESSAGE_CREATE', d: { ...created(), content: 7 } }, of)) as {
      refusal: string;
    };
    expect(refusal).toBe('cannot be read: content');
  });
});
