import { describe, expect, test } from 'vitest';
import type { ApplicationRecord, PrivilegedIntent } from '../../src/domain/applications/index.js';
import type { User } from '../../src/infra/database/index.js';
import { renderApplication } from '../../src/wire/applications.js';
import { renderChannel } from '../../src/wire/channels.js';
import { renderGuildCreate, renderOwnGuildFields } from '../../src/wire/guild-create.js';
import { renderGuild, renderOwnGuild } from '../../src/wire/guilds.js';
import { renderMember } from '../../src/wire/members.js';
import { messageAs, renderAttachment, renderReaction } from '../../src/wire/messages.js';
import { renderAuthorization, renderTokens } from '../../src/wire/oauth.js';
import { renderReady, renderUnavailableGuild } from '../../src/wire/ready.js';
import { renderRole } from '../../src/wire/roles.js';
import { renderOwnTeam, renderTeam, renderTeamUser } from '../../src/wire/teams.js';
import { renderTester } from '../../src/wire/testers.js';
import { renderOwnUser, renderUser } from '../../src/wire/users.js';
import { PLAIN_APPLICATION, PLAIN_CHANNEL, PLAIN_GUILD, PLAIN_MEMBER } from '../harness/plain-columns.js';
import { expectReference } from '../harness/reference.js';

const options = { publicUrl: 'https://chat.example', signatures: { sign: () => 'hm=1' } };
const AT = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
const SHOWN_AT = '2026-01-02T03:04:05.678000+00:00';

const user: User = {
  id: 20_000_000_000_000_007n,
  username: 'ada',
  handle: 'ada',
  globalName: 'Ada',
  avatarHash: 'a_face',
  bot: false,
  deletedAt: null,
};
const shownUser = {
  id: '20000000000000007',
  username: 'ada',
  discriminator: '0',
  global_name: 'Ada',
  avatar: 'a_face',
  public_flags: 0,
  flags: 0,
  primary_guild: null,
};
const botUser: User = { ...user, id: 20_000_000_000_000_005n, bot: true };
const shownBot = { ...shownUser, id: '20000000000000005', global_name: null, bot: true };

const guild = {
  ...PLAIN_GUILD,
  id: 20_000_000_000_000_001n,
  name: 'Home',
  description: 'ours',
  iconHash: 'crest',
  ownerId: user.id,
};
const role = {
  id: 20_000_000_000_000_021n,
  guildId: guild.id,
  name: 'helpers',
  permissions: 1n << 50n,
  position: 3,
  color: 255,
  hoist: true,
  mentionable: false,
  managed: true,
  applicationId: botUser.id,
};
const shownRole = {
  id: '20000000000000021',
  name: 'helpers',
  permissions: '1125899906842624',
  position: 3,
  color: 255,
  colors: { primary_color: 255, secondary_color: null, tertiary_color: null },
  hoist: true,
  managed: true,
  mentionable: false,
  icon: null,
  unicode_emoji: null,
  flags: 0,
  tags: { bot_id: '20000000000000005' },
};
const shownGuild = {
  id: '20000000000000001',
  name: 'Home',
  icon: 'crest',
  home_header: null,
  splash: null,
  discovery_splash: null,
  banner: null,
  description: 'ours',
  owner_id: '20000000000000007',
  application_id: null,
  region: 'local',
  afk_channel_id: null,
  afk_timeout: 300,
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw: false,
  nsfw_level: 0,
  premium_tier: 0,
  premium_subscription_count: 0,
  premium_progress_bar_enabled: false,
  preferred_locale: 'en-US',
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  vanity_url_code: null,
  widget_enabled: false,
  widget_channel_id: null,
  max_members: 500_000,
  max_presences: null,
  max_video_channel_users: 25,
  max_stage_video_channel_users: 50,
  features: [],
  emojis: [],
  stickers: [],
  roles: [shownRole],
  hub_type: null,
  incidents_data: null,
};

const text = {
  ...PLAIN_CHANNEL,
  id: 20_000_000_000_000_002n,
  guildId: guild.id,
  type: 0,
  name: 'general',
  topic: 'talk',
  position: 4,
  parentId: 20_000_000_000_000_003n,
  nsfw: true,
  rateLimitPerUser: 5,
  overwrites: [{ channelId: 20_000_000_000_000_002n, targetId: role.id, targetType: 1, allow: 1n << 40n, deny: 8n }],
};
const shownPlace = {
  id: '20000000000000002',
  guild_id: '20000000000000001',
  name: 'general',
  position: 4,
  parent_id: '20000000000000003',
  nsfw: true,
  rate_limit_per_user: 5,
  last_message_id: '9',
  flags: 0,
  permission_overwrites: [{ id: '20000000000000021', type: 1, allow: '1099511627776', deny: '8' }],
};

const membership = { ...PLAIN_MEMBER, nick: 'heron', joinedAt: AT, roleIds: [role.id] };
const member = {
  ...PLAIN_MEMBER,
  guildId: guild.id,
  userId: user.id,
  nick: 'heron',
  joinedAt: AT,
  user,
  roles: [{ roleId: role.id }],
};

describe('a user', () => {
  test('has the fields of a bot only if it is one', () => {
    expect([renderUser(user), renderUser(botUser)]).toEqual([shownUser, shownBot]);
  });

  test('has private fields for itself: a person the e-mail address, a bot `verified` without one', () => {
    const rest = {
      system: false,
      locale: 'en-US',
      premium_type: 0,
      banner: null,
      accent_color: null,
    };
    expect([renderOwnUser(user, 'a@b.example'), renderOwnUser(user, null), renderOwnUser(botUser, null)]).toEqual([
      { ...shownUser, ...rest, bot: false, mfa_enabled: false, verified: true, email: 'a@b.example' },
      { ...shownUser, ...rest, bot: false, mfa_enabled: false, verified: false, email: null },
      { ...shownBot, ...rest, bot: true, mfa_enabled: true, verified: true, email: null },
    ]);
    expectReference('UserPIIResponse', renderOwnUser(user, 'a@b.example'));
  });
});

describe('a guild', () => {
  test('has its roles and the fixed settings of all guilds', () => {
    expect(renderGuild({ ...guild, roles: [role], emojis: [] })).toEqual(shownGuild);
    const { applicationId: _none, ...ofNobody } = role;
    expect(renderRole({ ...ofNobody, applicationId: null })).not.toHaveProperty('tags');
    expectReference('GuildRoleResponse', renderRole(role));
  });

  test("is listed among a user's guilds, with counts on request", () => {
    const own = { guild, isOwner: true, permissions: 1n << 50n, memberCount: null, presenceCount: null };
    const shown = {
      id: '20000000000000001',
      name: 'Home',
      icon: 'crest',
      banner: null,
      owner: true,
      permissions: '1125899906842624',
      features: [],
    };
    expect(renderOwnGuild(own)).toEqual(shown);
    const counts = { approximate_member_count: 2, approximate_presence_count: 1 };
    expect(renderOwnGuild({ ...own, memberCount: 2, presenceCount: 1 })).toEqual({ ...shown, ...counts });
  });

  test('has its channels with their newest messages in GUILD_CREATE, and empty lists for unsupported features', () => {
    const quiet = { ...text, id: 20_000_000_000_000_004n };
    const snapshot = {
      guild: { ...guild, roles: [role], emojis: [] },
      channels: [text, quiet],
      lastMessageIds: new Map([[text.id, 9n]]),
      memberCount: 2,
    };
    const none = { threads: [], stage_instances: [] };
    expect(renderGuildCreate(snapshot)).toEqual({
      ...shownGuild,
      ...none,
      guild_scheduled_events: [],
      soundboard_sounds: [],
      unavailable: false,
      member_count: 2,
      channels: [renderChannel(text, 9n), renderChannel(quiet, null)],
    });
    const own = { joined_at: '2026-01-02T03:04:05.678000+00:00', large: true };
    expect(renderOwnGuildFields(membership, true)).toEqual(own);
  });

  test('that is unavailable has only its id', () => {
    expect(renderUnavailableGuild(guild.id)).toEqual({ id: '20000000000000001', unavailable: true });
  });
});

test('a channel has its overwrites; only a text channel has a topic, and only a voice channel a bitrate', () => {
  expect(renderChannel(text, 9n)).toEqual({ ...shownPlace, type: 0, topic: 'talk' });
  const bare = renderChannel({ ...text, guildId: null, parentId: null, overwrites: [] });
  expect(bare).toMatchObject({ parent_id: null, last_message_id: null, permission_overwrites: [] });
  expect(bare).not.toHaveProperty('guild_id');
  const voice = { type: 2, bitrate: 64_000, user_limit: 0, rtc_region: null };
  expect(renderChannel({ ...text, type: 2 }, 9n)).toEqual({ ...shownPlace, ...voice });
  expectReference('GuildChannelResponse', renderChannel(text, 9n));
  expect(renderChannel({ ...text, type: 5, lastPinAt: AT }, 9n)).toEqual({
    ...shownPlace,
    type: 5,
    topic: 'talk',
    last_pin_timestamp: SHOWN_AT,
  });
  const { rate_limit_per_user: _slow, last_message_id: _newest, ...ofCategory } = shownPlace;
  const category = renderChannel({ ...text, type: 4, parentId: null });
  expect(category).toEqual({ ...ofCategory, type: 4, parent_id: null });
  expectReference('GuildChannelResponse', category);
});

test('a member has their user, roles and join time', () => {
  expect(renderMember(member)).toEqual({
    user: shownUser,
    roles: ['20000000000000021'],
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
  });
  expectReference('GuildMemberResponse', renderMember(member));
});

describe('a part of a message', () => {
  test.each([
    ['👍', { id: null, name: '👍' }],
    ['blob:31', { id: '31', name: 'blob' }],
    [':31', { id: null, name: ':31' }],
    ['blob:31x', { id: null, name: 'blob:31x' }],
  ])('for a reaction with %s has its count and whether the reader reacted', (emoji, shown) => {
    for (const me of [true, false]) {
      expect(renderReaction({ emoji, count: 3, me })).toEqual({
        emoji: shown,
        count: 3,
        count_details: { burst: 0, normal: 3 },
        me,
        me_burst: false,
        burst_colors: [],
      });
    }
  });

  test('for a file has its known facts', () => {
    const file = {
      id: 5n,
      messageId: 3n,
      filename: 'a b.png',
      title: null,
      description: 'a cat',
      isSpoiler: false,
      contentType: 'image/png',
      size: 7,
      width: null,
      height: null,
    };
    const url = 'https://chat.example/cdn/attachments/2/5/a%20b.png?hm=1';
    const common = { id: '5', filename: 'a b.png', size: 7, url, proxy_url: url, content_type: 'image/png' };
    expect(renderAttachment(file, 2n, options)).toEqual({ ...common, description: 'a cat' });
    expect(renderAttachment({ ...file, description: null, width: 3, height: 0 }, 2n, options)).toEqual({
      ...common,
      width: 3,
      height: 0,
    });
    expect(renderAttachment({ ...file, title: 'A cat', isSpoiler: true }, 2n, options)).toEqual({
      ...common,
      description: 'a cat',
      title: 'A cat',
      flags: 8,
    });
  });

  test('for a reader is complete, lacks only the referenced content, or has no content', () => {
    const words = { content: 'words', embeds: [{ title: 'x' }], attachments: [], components: [] };
    const answered = { ...words, id: '1' };
    const shown = { ...words, id: '2', referenced_message: answered } as unknown as Parameters<typeof messageAs>[1];
    const none = { content: '', embeds: [], attachments: [], components: [] };
    expect(messageAs('whole', shown)).toEqual(shown);
    expect(messageAs('withoutReply', shown)).toEqual({ ...shown, referenced_message: { ...answered, ...none } });
    expect(messageAs('redacted', shown)).toEqual({
      ...shown,
      ...none,
      referenced_message: { ...answered, ...none },
    });
    const gone = { ...words, id: '2', referenced_message: null } as unknown as typeof shown;
    expect(messageAs('withoutReply', gone)).toEqual(gone);
    expect(messageAs('redacted', gone)).toEqual({ ...gone, ...none });
  });
});

const team = {
  id: 20_000_000_000_000_006n,
  name: 'Makers',
  iconHash: 'tools',
  ownerUserId: user.id,
  members: (['ADMIN', 'DEVELOPER', 'READ_ONLY'] as const).map((as) => ({
    teamId: 20_000_000_000_000_006n,
    userId: user.id,
    role: as,
    joinedAt: AT,
    user,
  })),
  invitations: [
    {
      id: 1n,
      teamId: 20_000_000_000_000_006n,
      inviteeId: botUser.id,
      inviterId: user.id,
      role: 'DEVELOPER' as const,
      state: 'PENDING' as const,
      pendingKey: null,
      createdAt: AT,
      invitee: botUser,
    },
  ],
};
const people = ['admin', 'developer', 'read_only'].map((as) => ({
  user: shownUser,
  team_id: '20000000000000006',
  membership_state: 2,
  role: as,
  permissions: ['*'],
}));
const shownTeam = {
  id: '20000000000000006',
  name: 'Makers',
  icon: 'tools',
  owner_user_id: '20000000000000007',
  members: people,
};
const standIn = {
  id: '20000000000000006',
  username: 'team20000000000000006',
  discriminator: '0000',
  global_name: null,
  avatar: null,
  public_flags: 1024,
  flags: 1024,
  primary_guild: null,
};

describe('a team', () => {
  test('has its accepted members for its applications, and also the invited ones for its members', () => {
    expect(renderTeam(team)).toEqual(shownTeam);
    const invited = { ...people[1], user: shownBot, membership_state: 1 };
    expect(renderOwnTeam(team)).toEqual({ ...shownTeam, members: [...people, invited] });
    expect(renderTeamUser(team)).toEqual(standIn);
  });

  test('does not include testers, who have the state invited or accepted', () => {
    const tester = { applicationId: botUser.id, userId: user.id, inviterId: null, createdAt: AT, user };
    expect(renderTester({ ...tester, state: 'INVITED' })).toEqual({ user: shownUser, state: 1 });
    expect(renderTester({ ...tester, state: 'ACCEPTED' })).toEqual({ user: shownUser, state: 2 });
  });
});

const application: ApplicationRecord = {
  id: botUser.id,
  name: 'Helper',
  description: 'helps',
  iconHash: 'gear',
  coverHash: null,
  publicKey: 'f00d',
  privateKey: 'never shown',
  publicClient: true,
  public: false,
  guildMembersIntent: false,
  presencesIntent: false,
  messageContentIntent: false,
  userInstall: false,
  serverInstall: true,
  serverInstallScopes: ['bot', 5, 'applications.commands'],
  serverInstallPermissions: '8',
  userInstallScopes: ['applications.commands'],
  installLinkMode: 'PROVIDED',
  customInstallUrl: null,
  interactionsEndpointUrl: null,
  redirectUris: ['https://a.example/cb'],
  ...PLAIN_APPLICATION,
  clientSecretHash: 'never shown',
  clientSecretPrefix: 'never shown',
  clientSecretLast4: 'never shown',
  botTokenHash: 'never shown',
  botTokenLast4: 'never shown',
  ownerUserId: user.id,
  ownerTeamId: null,
  transferredById: null,
  deletedAt: null,
  bot: botUser,
  ownerUser: user,
  ownerTeam: null,
  installCounts: { server: 3, user: 4 },
};
const SCOPES = [
  'identify',
  'email',
  'guilds',
  'guilds.join',
  'bot',
  'applications.commands',
  'applications.commands.permissions.update',
];
const shownFacts = {
  id: '20000000000000005',
  name: 'Helper',
  type: null,
  icon: 'gear',
  description: 'helps',
  summary: '',
  bot_public: false,
  bot_require_code_grant: false,
  verify_key: 'f00d',
  flags: 0,
  flags_new: '0',
};
const serverParams = { scopes: ['bot', 'applications.commands'], permissions: '8' };

describe('an application', () => {
  test('is complete for its bot, without its secrets', () => {
    const rendered = renderApplication(application);
    expect(rendered).toEqual({
      ...shownFacts,
      bot: shownBot,
      owner: shownUser,
      team: null,
      explicit_content_filter: 0,
      approximate_guild_count: 3,
      approximate_user_install_count: 4,
      approximate_user_authorization_count: 4,
      eligible_oauth2_scopes: SCOPES,
      role_connections_verification_url: null,
      redirect_uris: ['https://a.example/cb'],
      interactions_endpoint_url: null,
      install_params: serverParams,
      integration_types_config: { '0': { oauth2_install_params: serverParams } },
    });
    expect(JSON.stringify(rendered)).not.toContain('never shown');
    expectReference('PrivateApplicationResponse', rendered);
  });

  const userParams = { scopes: ['applications.commands'], permissions: '0' };
  const configOf = { 0: { oauth2_install_params: serverParams }, 1: { oauth2_install_params: userParams } };

  test.each([
    [true, true, 'PROVIDED', { 0: configOf[0], 1: configOf[1] }, serverParams],
    [true, false, 'CUSTOM', { 0: configOf[0] }, undefined],
    [false, true, 'PROVIDED', { 1: configOf[1] }, undefined],
    [false, false, 'NONE', {}, undefined],
  ] as const)(
    'that supports servers: %s, and users: %s, with a %s link, has the matching config',
    (serverInstall, userInstall, installLinkMode, config, installParams) => {
      const rendered = renderApplication({ ...application, serverInstall, userInstall, installLinkMode });
      expect(rendered.integration_types_config).toEqual(config);
      expect(rendered.install_params).toEqual(installParams);
    },
  );

  test('has its own install URL and its interactions endpoint if it has one', () => {
    const urls = { customInstallUrl: 'https://a.example/add', interactionsEndpointUrl: 'https://a.example/hook' };
    expect(renderApplication({ ...application, ...urls })).toMatchObject({
      custom_install_url: 'https://a.example/add',
      interactions_endpoint_url: 'https://a.example/hook',
    });
  });

  test('of a team has the team as its owner, with a placeholder user', () => {
    expect(renderApplication({ ...application, ownerUser: null, ownerTeam: team })).toMatchObject({
      owner: standIn,
      team: shownTeam,
    });
    expect(renderApplication({ ...application, ownerUser: null })).not.toHaveProperty('owner');
  });

  test.each([
    ['presencesIntent', 1 << 13],
    ['guildMembersIntent', 1 << 15],
    ['messageContentIntent', 1 << 19],
  ])('with %s enabled has the flag %i', (intent, flag) => {
    const flags = { flags: flag, flags_new: String(flag) };
    expect(renderApplication({ ...application, [intent]: true })).toMatchObject(flags);
  });
});

test('READY has the bot, its unavailable guilds and the resume address', () => {
  const facts = {
    version: 10,
    user: botUser,
    privilegedIntents: ['GUILD_MEMBERS'] satisfies PrivilegedIntent[],
    guildIds: [guild.id],
    sessionId: 'abc',
    resumeGatewayUrl: 'wss://chat.example/gateway',
    shard: null,
  };
  const ready = {
    v: 10,
    user: renderOwnUser(botUser, null),
    guilds: [{ id: '20000000000000001', unavailable: true }],
    session_id: 'abc',
    resume_gateway_url: 'wss://chat.example/gateway',
    session_type: 'normal',
    application: { id: '20000000000000005', flags: 1 << 15, flags_new: String(1 << 15) },
    private_channels: [],
    relationships: [],
    presences: [],
    guild_join_requests: [],
    _trace: ['["causeway"]'],
  };
  expect(renderReady(facts)).toEqual(ready);
  const others: PrivilegedIntent[] = ['PRESENCES', 'MESSAGE_CONTENT'];
  expect(renderReady({ ...facts, privilegedIntents: others, shard: { id: 0, count: 2 } })).toEqual({
    ...ready,
    shard: [0, 2],
    application: { ...ready.application, flags: (1 << 13) | (1 << 19), flags_new: String((1 << 13) | (1 << 19)) },
  });
});

describe('OAuth2', () => {
  test('shows the authorization of a token, and its user only if permitted', () => {
    const authorization = { application, scopes: ['identify', 'guilds'] as const, expiresAt: AT, user };
    const shown = {
      application: { ...shownFacts, hook: true },
      scopes: ['identify', 'guilds'],
      expires: SHOWN_AT,
    };
    expect(renderAuthorization(authorization)).toEqual({ ...shown, user: shownUser });
    expect(renderAuthorization({ ...authorization, user: null })).toEqual(shown);
    expectReference('OAuth2GetAuthorizationResponse', renderAuthorization(authorization));
  });

  test('returns tokens with their fields (RFC 6749, section 5.1)', () => {
    const tokens = { accessToken: 'at', refreshToken: null, expiresIn: 5, scopes: ['bot', 'email'], guild: null };
    const shown = { access_token: 'at', token_type: 'Bearer', expires_in: 5, scope: 'bot email' };
    expect(renderTokens({ ...tokens, scopes: ['bot', 'email'] })).toEqual(shown);
    const more = { refreshToken: 'rt', guild: { ...guild, roles: [role], emojis: [] } };
    expect(renderTokens({ ...tokens, scopes: ['bot', 'email'], ...more })).toEqual({
      ...shown,
      refresh_token: 'rt',
      guild: shownGuild,
    });
  });
});
