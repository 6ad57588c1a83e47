import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { describe, expect, test } from 'vitest';
import type { BusMessage, EventName } from '../../../src/domain/bus-message.js';
import type { DomainEvent } from '../../../src/domain/events.js';
import type { InteractionRequest } from '../../../src/domain/interactions/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import type { User } from '../../../src/infra/database/index.js';
import { EVENTS, renderEvent } from '../../../src/wire/events/index.js';
import { renderRole } from '../../../src/wire/roles.js';
import { PLAIN_MESSAGE } from '../../harness/guild-home.js';
import { PLAIN_CHANNEL, PLAIN_GUILD, PLAIN_MEMBER } from '../../harness/plain-columns.js';

const options = { publicUrl: 'https://chat.example', signatures: { sign: (path: string) => path } };
const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const SHOWN_AT = '2026-01-02T03:04:05.678000+00:00';

const person = (id: bigint, facts: Partial<User> = {}): User => {
  const names = { username: `user${id}`, handle: null, globalName: null };
  return { id, ...names, avatarHash: null, bot: false, deletedAt: null, ...facts };
};
const shownUser = (id: string) => ({
  id,
  username: `user${id}`,
  discriminator: '0',
  global_name: null,
  avatar: null,
  public_flags: 0,
  flags: 0,
  primary_guild: null,
});

const facts = { ...PLAIN_MEMBER, nick: 'heron', joinedAt: new Date(AT), roleIds: [21n, 22n] };
const shownFacts = {
  roles: ['21', '22'],
  joined_at: SHOWN_AT,
  premium_since: null,
  nick: 'heron',
  avatar: null,
  banner: null,
  pending: false,
  communication_disabled_until: null,
  flags: 0,
  deaf: false,
  mute: false,
};
const shownMember = (id: string) => ({ ...shownFacts, user: shownUser(id) });
const member = {
  ...PLAIN_MEMBER,
  guildId: 1n,
  userId: 7n,
  nick: facts.nick,
  joinedAt: facts.joinedAt,
  user: person(7n),
  roles: [{ roleId: 21n }, { roleId: 22n }],
};

const role = {
  id: 21n,
  guildId: 1n,
  name: 'helpers',
  permissions: 8n,
  position: 3,
  color: 255,
  hoist: true,
  mentionable: true,
  managed: true,
  applicationId: 5n,
};
const channel = {
  ...PLAIN_CHANNEL,
  id: 2n,
  guildId: 1n,
  type: 0,
  name: 'general',
  topic: null,
  position: 0,
  parentId: null,
  nsfw: false,
  rateLimitPerUser: 0,
  overwrites: [],
};
const invite = {
  code: 'abc',
  guildId: 1n,
  channelId: 2n,
  inviterId: 7n,
  inviter: person(7n),
  uses: 1,
  maxUses: 5,
  createdAt: new Date(AT),
  expiresAt: new Date(AT + 60_000),
  temporary: false,
};
const entry = {
  id: 9n,
  applicationId: null,
  teamId: null,
  guildId: 1n,
  actorId: 7n,
  targetId: 5n,
  action: 'BOT_ADD',
  changes: {},
  reason: null,
} as const;

const message = (guildId: bigint | null) => ({
  id: 3n,
  channelId: 2n,
  guildId,
  authorId: 7n,
  author: person(7n),
  ...PLAIN_MESSAGE,
  reactions: [{ emoji: '👍', count: 1, me: true }],
});
const shownMessage = { id: '3', channel_id: '2', content: 'hello', author: shownUser('7') };

const VIEW_CHANNEL = '1024';
const MANAGE_CHANNELS = '16';
const VIEW_AUDIT_LOG = '128';

const ofMessage = { intent: Intent.GuildMessages, inChannel: VIEW_CHANNEL };
const ofReaction = { intent: Intent.GuildMessageReactions, inChannel: VIEW_CHANNEL };
const ofInvite = { intent: Intent.GuildInvites, inChannel: MANAGE_CHANNELS };
const ofGuild = { intent: Intent.Guilds };
const comingAndGoing = { intent: Intent.GuildMembers, ownBot: 'never' };

/** The routing of an event: its topics, audience, cache invalidations and keys. */
type Way = Pick<
  BusMessage,
  'invalidates' | 'guildId' | 'channelId' | 'userId' | 'unavailable' | 'privilegedIntents' | 'interaction' | 'state'
> & {
  topics: string[];
  audience: object | null;
};

const inChannel = (audience: object, more: Partial<Way> = {}): Way => ({
  topics: ['guild:1'],
  audience,
  invalidates: [],
  guildId: '1',
  channelId: '2',
  ...more,
});
const ofFacts = (audience: object | null, invalidates: Way['invalidates'], more: Partial<Way> = {}): Way => ({
  topics: ['guild:1'],
  audience,
  invalidates,
  guildId: '1',
  ...more,
});
const ownOf = (topic: string, invalidates: Way['invalidates'], more: Partial<Way> = {}): Way => ({
  topics: [topic],
  audience: null,
  invalidates,
  ...more,
});

const place = { guildId: 1n, channelId: 2n };
const shownPlace = { channel_id: '2', guild_id: '1' };
const reaction = { ...place, messageId: 3n };
const shownReaction = { ...shownPlace, message_id: '3' };
const thumb = { emoji: { id: null, name: '👍' } };
const blob = { emoji: { id: '31', name: 'blob' } };

const ofBan: Way = {
  topics: ['guild:1'],
  audience: { intent: Intent.GuildModeration, anyInGuild: String(Permission.BanMembers | Permission.ViewAuditLog) },
  invalidates: [],
  guildId: '1',
  userId: '7',
};
const shownBan = { guild_id: '1', user: shownUser('7') };

const asked = {
  application: { id: 5n },
  type: 2,
  user: person(7n),
  place: { kind: 'guild', guildId: 1n, channelId: 2n, permissions: 8n },
  channel: { channel, lastMessageId: null, permissions: 8n, appPermissions: 0n },
  member: null,
  data: { id: '31', name: 'echo', type: 1 },
  resolved: { users: [], members: [], roles: [], channels: [], messages: [], files: [] },
  owners: { guildId: 1n },
  message: null,
} as unknown as InteractionRequest;

/** Every event with its routing and its `d`, as Discord's documentation has them (Gateway Events). */
const ROWS: { [Name in EventName]: [event: DomainEvent & { type: Name }, way: Way, d: object] } = {
  MESSAGE_CREATE: [
    { type: 'MESSAGE_CREATE', message: message(1n), member: facts },
    inChannel(ofMessage, { invalidates: ['last-message'] }),
    { ...shownMessage, guild_id: '1', member: shownFacts },
  ],
  MESSAGE_UPDATE: [
    { type: 'MESSAGE_UPDATE', message: message(1n), member: null },
    inChannel(ofMessage),
    { ...shownMessage, guild_id: '1' },
  ],
  MESSAGE_DELETE: [
    { type: 'MESSAGE_DELETE', ...reaction },
    inChannel(ofMessage, { invalidates: ['last-message'] }),
    { ...shownPlace, id: '3' },
  ],
  MESSAGE_DELETE_BULK: [
    { type: 'MESSAGE_DELETE_BULK', ...place, messageIds: [3n, 4n] },
    inChannel(ofMessage, { invalidates: ['last-message'] }),
    { ...shownPlace, ids: ['3', '4'] },
  ],
  CHANNEL_PINS_UPDATE: [
    { type: 'CHANNEL_PINS_UPDATE', ...place, lastPinAt: new Date(1_000) },
    inChannel({ ...ofGuild, inChannel: VIEW_CHANNEL }, { invalidates: ['picture'] }),
    { ...shownPlace, last_pin_timestamp: '1970-01-01T00:00:01.000000+00:00' },
  ],
  MESSAGE_REACTION_ADD: [
    {
      type: 'MESSAGE_REACTION_ADD',
      ...reaction,
      emoji: '👍',
      messageAuthorId: 8n,
      user: person(7n),
      member: facts,
    },
    inChannel(ofReaction, { userId: '7' }),
    {
      ...shownReaction,
      ...thumb,
      user_id: '7',
      message_author_id: '8',
      burst: false,
      type: 0,
      member: shownMember('7'),
    },
  ],
  MESSAGE_REACTION_REMOVE: [
    { type: 'MESSAGE_REACTION_REMOVE', ...reaction, emoji: 'blob:31', userId: 7n },
    inChannel(ofReaction, { userId: '7' }),
    { ...shownReaction, ...blob, user_id: '7', burst: false, type: 0 },
  ],
  MESSAGE_REACTION_REMOVE_ALL: [
    { type: 'MESSAGE_REACTION_REMOVE_ALL', ...reaction },
    inChannel(ofReaction),
    shownReaction,
  ],
  MESSAGE_REACTION_REMOVE_EMOJI: [
    { type: 'MESSAGE_REACTION_REMOVE_EMOJI', ...reaction, emoji: '👍' },
    inChannel(ofReaction),
    { ...shownReaction, ...thumb },
  ],
  TYPING_START: [
    { type: 'TYPING_START', ...place, user: person(7n), member: facts, startedAt: 1_999 },
    inChannel({ intent: Intent.GuildMessageTyping, inChannel: VIEW_CHANNEL }, { userId: '7' }),
    { ...shownPlace, user_id: '7', timestamp: 1, member: shownMember('7') },
  ],
  CHANNEL_UPDATE: [
    { type: 'CHANNEL_UPDATE', channel, lastMessageId: 3n },
    ofFacts(ofGuild, ['view', 'picture'], { channelId: '2' }),
    { id: '2', guild_id: '1', last_message_id: '3' },
  ],
  CHANNEL_DELETE: [
    { type: 'CHANNEL_DELETE', channel, lastMessageId: null },
    ofFacts(ofGuild, ['view', 'picture'], { channelId: '2' }),
    { id: '2', guild_id: '1', last_message_id: null },
  ],
  CHANNEL_CREATE: [
    { type: 'CHANNEL_CREATE', channel },
    ofFacts(ofGuild, ['view', 'picture'], { channelId: '2' }),
    { id: '2', guild_id: '1', name: 'general', type: 0, last_message_id: null },
  ],
  GUILD_UPDATE: [
    {
      type: 'GUILD_UPDATE',
      guild: {
        ...PLAIN_GUILD,
        id: 1n,
        name: 'Home',
        description: null,
        iconHash: null,
        ownerId: 7n,
        roles: [role],
        emojis: [],
      },
    },
    ofFacts(ofGuild, ['view', 'picture', 'home']),
    { id: '1', name: 'Home', owner_id: '7', roles: [renderRole(role)] },
  ],
  GUILD_EMOJIS_UPDATE: [
    {
      type: 'GUILD_EMOJIS_UPDATE',
      guildId: 1n,
      emojis: [
        { id: 9n, guildId: 1n, applicationId: null, name: 'hi', animated: true, creatorId: 7n, roleIds: ['21'] },
      ],
    },
    { topics: ['guild:1'], audience: { intent: Intent.GuildExpressions }, invalidates: ['picture'], guildId: '1' },
    { guild_id: '1', emojis: [{ id: '9', name: 'hi', roles: ['21'], animated: true, available: true }] },
  ],
  GUILD_DELETE: [
    { type: 'GUILD_DELETE', guildId: 1n, unavailable: true },
    ofFacts({ ...ofGuild, detaches: true }, ['view', 'picture', 'home'], { unavailable: true }),
    { id: '1', unavailable: true },
  ],
  GUILD_ROLE_CREATE: [
    { type: 'GUILD_ROLE_CREATE', role },
    ofFacts(ofGuild, ['view', 'roles', 'picture']),
    { guild_id: '1', role: renderRole(role) },
  ],
  GUILD_ROLE_UPDATE: [
    { type: 'GUILD_ROLE_UPDATE', role },
    ofFacts(ofGuild, ['view', 'roles', 'picture']),
    { guild_id: '1', role: renderRole(role) },
  ],
  GUILD_ROLE_DELETE: [
    { type: 'GUILD_ROLE_DELETE', guildId: 1n, roleId: 21n },
    ofFacts(ofGuild, ['view', 'roles', 'picture']),
    { guild_id: '1', role_id: '21' },
  ],
  GUILD_MEMBER_ADD: [
    { type: 'GUILD_MEMBER_ADD', member },
    ofFacts(comingAndGoing, ['member', 'picture'], { userId: '7' }),
    { guild_id: '1', ...shownMember('7') },
  ],
  GUILD_MEMBER_UPDATE: [
    { type: 'GUILD_MEMBER_UPDATE', member },
    ofFacts({ intent: Intent.GuildMembers, ownBot: 'always' }, ['member', 'picture'], { userId: '7' }),
    { guild_id: '1', ...shownMember('7') },
  ],
  GUILD_MEMBER_REMOVE: [
    { type: 'GUILD_MEMBER_REMOVE', guildId: 1n, user: person(7n) },
    ofFacts(comingAndGoing, ['member', 'picture'], { userId: '7' }),
    { guild_id: '1', user: shownUser('7') },
  ],
  PRESENCE_UPDATE: [
    {
      type: 'PRESENCE_UPDATE',
      guildId: 1n,
      presence: {
        userId: 7n,
        status: 'idle',
        activities: [{ name: 'chess', type: 0, state: 'a draw', createdAt: AT }],
      },
      clock: 5,
    },
    {
      topics: ['guild:1'],
      audience: { intent: Intent.GuildPresences, ownBot: 'never' },
      invalidates: ['live'],
      guildId: '1',
      userId: '7',
      state: { key: 'presence:7', clock: 5 },
    },
    {
      user: { id: '7' },
      guild_id: '1',
      status: 'idle',
      activities: [{ id: '0', name: 'chess', type: 0, state: 'a draw', created_at: AT }],
      client_status: { web: 'idle' },
    },
  ],
  VOICE_STATE_UPDATE: [
    {
      type: 'VOICE_STATE_UPDATE',
      state: {
        guildId: 1n,
        userId: 7n,
        channelId: 2n,
        sessionId: 'abc',
        selfMute: true,
        selfDeaf: false,
        selfVideo: false,
        suppress: false,
        member: { ...member, deaf: true },
      },
    },
    {
      topics: ['guild:1'],
      audience: { intent: Intent.GuildVoiceStates },
      invalidates: ['live'],
      guildId: '1',
      userId: '7',
    },
    {
      guild_id: '1',
      channel_id: '2',
      user_id: '7',
      session_id: 'abc',
      deaf: true,
      mute: false,
      self_deaf: false,
      self_mute: true,
      self_video: false,
      self_stream: false,
      suppress: false,
      request_to_speak_timestamp: null,
      member: { ...shownMember('7'), deaf: true },
    },
  ],
  GUILD_BAN_ADD: [{ type: 'GUILD_BAN_ADD', guildId: 1n, user: person(7n) }, ofBan, shownBan],
  GUILD_BAN_REMOVE: [{ type: 'GUILD_BAN_REMOVE', guildId: 1n, user: person(7n) }, ofBan, shownBan],
  MEMBERSHIP_UPDATED: [
    { type: 'MEMBERSHIP_UPDATED', guildId: 1n, userId: 7n },
    ofFacts(null, ['member'], { userId: '7' }),
    {},
  ],
  INVITE_CREATE: [
    { type: 'INVITE_CREATE', invite },
    inChannel(ofInvite),
    {
      ...shownPlace,
      code: 'abc',
      created_at: SHOWN_AT,
      inviter: shownUser('7'),
      expires_at: '2026-01-02T03:05:05.678000+00:00',
      max_age: 60,
      max_uses: 5,
      temporary: false,
      uses: 1,
    },
  ],
  INVITE_DELETE: [{ type: 'INVITE_DELETE', invite }, inChannel(ofInvite), { ...shownPlace, code: 'abc' }],
  WEBHOOKS_UPDATE: [
    { type: 'WEBHOOKS_UPDATE', applicationId: 5n, guildId: 1n, channelId: 2n },
    { ...inChannel({ intent: Intent.GuildWebhooks, inChannel: VIEW_CHANNEL, ownBot: 'only' }), userId: '5' },
    { guild_id: '1', channel_id: '2' },
  ],
  APPLICATION_COMMAND_PERMISSIONS_UPDATE: [
    {
      type: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE',
      permissions: {
        guildId: 1n,
        applicationId: 5n,
        commandId: 6n,
        entries: [{ targetType: 2, targetId: 7n, allow: false }],
      },
    },
    { topics: ['user:5'], audience: { intent: 0 }, invalidates: [], guildId: '1', userId: '5' },
    { id: '6', application_id: '5', guild_id: '1', permissions: [{ id: '7', type: 2, permission: false }] },
  ],
  GUILD_AUDIT_LOG_ENTRY_CREATE: [
    { type: 'GUILD_AUDIT_LOG_ENTRY_CREATE', entry },
    {
      topics: ['guild:1'],
      audience: { intent: Intent.GuildModeration, anyInGuild: VIEW_AUDIT_LOG },
      invalidates: ['portal'],
      guildId: '1',
    },
    { id: '9', guild_id: '1', user_id: '7', target_id: '5', action_type: 28 },
  ],
  GUILD_CREATED: [{ type: 'GUILD_CREATED', guildId: 1n }, { ...ownOf('guild:1', [], { guildId: '1' }) }, {}],
  GUILD_JOINED: [
    { type: 'GUILD_JOINED', guildId: 1n, userId: 7n },
    ownOf('user:7', [], { guildId: '1', userId: '7' }),
    {},
  ],
  GUILD_LEFT: [{ type: 'GUILD_LEFT', guildId: 1n, userId: 7n }, ownOf('user:7', [], { guildId: '1', userId: '7' }), {}],
  USER_UPDATE: [
    { type: 'USER_UPDATE', user: person(7n, { bot: true }) },
    { topics: ['user:7'], audience: { intent: 0 }, invalidates: [], userId: '7' },
    { ...shownUser('7'), bot: true, email: null, verified: true, mfa_enabled: true },
  ],
  APPLICATION_UPDATED: [
    {
      type: 'APPLICATION_UPDATED',
      applicationId: 5n,
      intents: ['GUILD_MEMBERS', 'MESSAGE_CONTENT'],
    },
    ownOf('application:5', ['token', 'portal', 'home'], {
      privilegedIntents: ['GUILD_MEMBERS', 'MESSAGE_CONTENT'],
    }),
    {},
  ],
  APPLICATION_SUSPENSION_UPDATED: [
    { type: 'APPLICATION_SUSPENSION_UPDATED', applicationId: 5n },
    ownOf('application:5', ['token', 'commands', 'portal', 'home']),
    {},
  ],
  BOT_TOKEN_RESET: [{ type: 'BOT_TOKEN_RESET', applicationId: 5n }, ownOf('application:5', ['token', 'portal']), {}],
  TESTERS_UPDATED: [{ type: 'TESTERS_UPDATED', applicationId: 5n }, ownOf('application:5', ['portal']), {}],
  APPLICATION_WEBHOOKS_UPDATED: [
    { type: 'APPLICATION_WEBHOOKS_UPDATED', applicationId: 5n },
    ownOf('application:5', ['portal']),
    {},
  ],
  BOT_SESSIONS_UPDATED: [
    { type: 'BOT_SESSIONS_UPDATED', applicationId: 5n },
    ownOf('application:5', ['portal', 'home']),
    {},
  ],
  APPLICATION_EMOJIS_UPDATED: [
    { type: 'APPLICATION_EMOJIS_UPDATED', applicationId: 5n },
    ownOf('application:5', ['portal']),
    {},
  ],
  CLIENT_SECRET_RESET: [{ type: 'CLIENT_SECRET_RESET', applicationId: 5n }, ownOf('application:5', ['portal']), {}],
  COMMAND_ACCESS_UPDATED: [
    { type: 'COMMAND_ACCESS_UPDATED', applicationId: 5n },
    ownOf('application:5', ['commands', 'portal', 'home']),
    {},
  ],
  COMMANDS_UPDATED: [
    { type: 'COMMANDS_UPDATED', applicationId: 5n, guildId: 1n },
    ownOf('application:5', ['commands', 'portal']),
    {},
  ],
  INTERACTION_CREATE: [
    { type: 'INTERACTION_CREATE', request: asked, interaction: { id: 30n, token: 'a token' } },
    {
      topics: ['application:5'],
      audience: { intent: 0, once: true },
      invalidates: [],
      guildId: '1',
      interaction: { id: '30', state: 'DELIVERING' },
    },
    { id: '30', application_id: '5', token: 'a token', type: 2, guild_id: '1', channel_id: '2', data: asked.data },
  ],
  INTERACTION_UPDATED: [
    { type: 'INTERACTION_UPDATED', applicationId: 5n, interaction: { id: 30n, state: 'ANSWERED' } },
    ownOf('application:5', [], { interaction: { id: '30', state: 'ANSWERED' } }),
    {},
  ],
  BOX_UPDATED: [{ type: 'BOX_UPDATED', boxId: 6n }, ownOf('box:6', ['portal', 'home', 'routes']), {}],
  BOX_DELETED: [{ type: 'BOX_DELETED', boxId: 6n }, ownOf('box:6', ['portal', 'home', 'routes']), {}],
  BOX_ROUTES_UPDATED: [{ type: 'BOX_ROUTES_UPDATED' }, ownOf('boxes', ['routes']), {}],
  TEAM_UPDATED: [{ type: 'TEAM_UPDATED', teamId: 6n }, ownOf('team:6', ['portal', 'home']), {}],
  PORTAL_HOME_UPDATED: [{ type: 'PORTAL_HOME_UPDATED', userId: 7n }, ownOf('user:7', ['home'], { userId: '7' }), {}],
  PERSON_UPDATED: [{ type: 'PERSON_UPDATED', userId: 7n }, ownOf('sessions', [], { userId: '7' }), {}],
  SUSPENDED: [{ type: 'SUSPENDED', userId: 7n }, ownOf('sessions', ['session'], { userId: '7' }), {}],
  RESTORED: [{ type: 'RESTORED', userId: 7n }, ownOf('sessions', ['session'], { userId: '7' }), {}],
  LIMITS_UPDATED: [{ type: 'LIMITS_UPDATED' }, ownOf('instance:limits', []), {}],
  SESSION_ENDED: [{ type: 'SESSION_ENDED', userId: 7n }, ownOf('sessions', ['session'], { userId: '7' }), {}],
};

const names = Object.keys(EVENTS) as EventName[];

/** Events whose `d` has a test of its own and is compared in part here. */
const SHOWN_IN_PART = new Set<EventName>([
  'MESSAGE_CREATE',
  'MESSAGE_UPDATE',
  'CHANNEL_CREATE',
  'CHANNEL_UPDATE',
  'CHANNEL_DELETE',
  'GUILD_UPDATE',
  'GUILD_EMOJIS_UPDATE',
  'USER_UPDATE',
  'INTERACTION_CREATE',
]);

describe('every event has the routing and payload of its row', () => {
  test.each(names)('%s', (name) => {
    const [event, { topics, ...way }, d] = ROWS[name];
    const { topics: sentTo, message: sent } = renderEvent(event, options);
    const { type, data, content: _content, changes: _changes, embedded: _embedded, ...stamp } = sent;
    expect(sentTo).toEqual(topics);
    expect(type).toBe(name);
    expect(stamp).toEqual(way);
    if (SHOWN_IN_PART.has(name)) expect(JSON.parse(data)).toMatchObject(d);
    else expect(JSON.parse(data)).toEqual(d);
  });

  test('a message omits its reactions, and its member unless there is one', () => {
    const shown = (event: DomainEvent) => JSON.parse(renderEvent(event, options).message.data);
    const [created, updated] = [shown(ROWS.MESSAGE_CREATE[0]), shown(ROWS.MESSAGE_UPDATE[0])];
    expect(created).not.toHaveProperty('reactions');
    expect(updated).not.toHaveProperty('member');
  });

  test('an application update without changed intents omits them', () => {
    const { message: sent } = renderEvent({ type: 'APPLICATION_UPDATED', applicationId: 5n }, options);
    expect(sent).not.toHaveProperty('privilegedIntents');
  });

  test('an invite that never expires has max_age 0', () => {
    const event = { type: 'INVITE_CREATE', invite: { ...invite, expiresAt: null } } as const;
    expect(JSON.parse(renderEvent(event, options).message.data)).toMatchObject({ expires_at: null, max_age: 0 });
  });
});

describe('an event of a direct channel', () => {
  const direct = { guildId: null, channelId: 2n, recipientIds: [7n, 8n] };
  const onMessage = { ...direct, messageId: 3n };
  const { DirectMessages, DirectMessageReactions, DirectMessageTyping } = Intent;

  test.each<[DomainEvent, number]>([
    [
      { type: 'MESSAGE_CREATE', message: message(null), member: null, recipientIds: direct.recipientIds },
      DirectMessages,
    ],
    [
      { type: 'MESSAGE_UPDATE', message: message(null), member: null, recipientIds: direct.recipientIds },
      DirectMessages,
    ],
    [{ type: 'MESSAGE_DELETE', ...onMessage }, DirectMessages],
    [
      {
        type: 'MESSAGE_REACTION_ADD',
        ...onMessage,
        emoji: '👍',
        messageAuthorId: 8n,
        user: person(7n),
        member: null,
      },
      DirectMessageReactions,
    ],
    [{ type: 'MESSAGE_REACTION_REMOVE', ...onMessage, emoji: '👍', userId: 7n }, DirectMessageReactions],
    [{ type: 'MESSAGE_REACTION_REMOVE_ALL', ...onMessage }, DirectMessageReactions],
    [{ type: 'MESSAGE_REACTION_REMOVE_EMOJI', ...onMessage, emoji: '👍' }, DirectMessageReactions],
    [{ type: 'TYPING_START', ...direct, user: person(7n), member: null, startedAt: 0 }, DirectMessageTyping],
  ])('is sent to each recipient by intent alone, without guild and member: $type', (event, intent) => {
    const { topics, message: sent } = renderEvent(event, options);
    expect(topics).toEqual(['user:7', 'user:8']);
    expect(sent).toMatchObject({ channelId: '2' });
    expect(sent.audience).toEqual({ intent });
    expect(sent).not.toHaveProperty('guildId');
    const d = JSON.parse(sent.data);
    expect(d.channel_id).toBe('2');
    expect(d).not.toHaveProperty('guild_id');
    expect(d).not.toHaveProperty('member');
  });
});

describe('the redacted forms of a message', () => {
  const answered = { ...message(1n), id: 4n, content: 'the target', authorId: 8n, author: person(8n) };
  const reply = { ...message(1n), referenceId: 4n, referenced: answered, mentionedUsers: [person(9n)] };
  const contentOf = (one: typeof reply | ReturnType<typeof message>) =>
    renderEvent({ type: 'MESSAGE_CREATE', message: one, member: facts }, options).message.content;

  test('have no separate form for a reply unless there is a referenced message', () => {
    expect(contentOf(message(1n))).not.toHaveProperty('withoutReply');
    expect(contentOf(message(1n))?.readers).toEqual({ authorId: '7', mentionedUserIds: [] });
  });

  test('omit the content, and keep author, channel and time', () => {
    const content = contentOf(reply);
    expect(content?.readers).toEqual({
      authorId: '7',
      mentionedUserIds: ['9'],
      reply: { authorId: '8', mentionedUserIds: [] },
    });
    const shown = [content?.redacted, content?.withoutReply].map((text) => JSON.parse(text ?? ''));
    for (const one of shown) expect(one).toMatchObject({ id: '3', guild_id: '1', member: shownFacts });
    expect(shown.map((one) => [one.content, one.referenced_message.content])).toEqual([
      ['', ''],
      ['hello', ''],
    ]);
  });
});
