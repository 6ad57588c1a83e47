import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/domain/limits.js';
import { ALL_PERMISSIONS } from '../../../src/domain/permissions.js';
import type { User } from '../../../src/infra/database/index.js';
import { memberSummaryOf, readGuild, readMember, readMembers } from '../../../src/relay/cloud/records.js';
import { renderGuildCreate } from '../../../src/wire/guild-create.js';
import { renderMember, renderMemberSummary } from '../../../src/wire/members.js';
import { renderVoiceStateWithin } from '../../../src/wire/voice.js';
import { PLAIN_CHANNEL, PLAIN_GUILD, PLAIN_MEMBER } from '../../harness/plain-columns.js';

const id = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
const idOrNull = fc.option(id);
const name = fc.string({ minLength: 1, maxLength: 32 });
const nameOrNull = fc.option(name);
const bits = fc.bigInt({ min: 0n, max: 2n ** 60n }).map((some) => some & ALL_PERMISSIONS);
const small = fc.nat({ max: 1_000 });
const time = fc.date({ min: new Date(0), max: new Date(Date.UTC(2100, 0)), noInvalidDate: true });

const user = fc.record<User>({
  id,
  username: name,
  handle: nameOrNull,
  globalName: nameOrNull,
  avatarHash: nameOrNull,
  bot: fc.boolean(),
  deletedAt: fc.option(time),
});

const memberOf = (guildId: bigint) =>
  fc
    .record({
      user,
      nick: nameOrNull,
      joinedAt: time,
      communicationDisabledUntil: fc.option(time),
      mute: fc.boolean(),
      deaf: fc.boolean(),
      roles: fc.array(fc.record({ roleId: id }), { maxLength: 4 }),
    })
    .map((member) => ({ ...PLAIN_MEMBER, ...member, guildId, userId: member.user.id }));

const roleOf = (guildId: bigint) =>
  fc.record({
    id,
    guildId: fc.constant(guildId),
    name,
    permissions: bits,
    position: small,
    color: small,
    hoist: fc.boolean(),
    managed: fc.boolean(),
    mentionable: fc.boolean(),
    applicationId: idOrNull,
  });

const emojiOf = (guildId: bigint) =>
  fc.record({
    id,
    guildId: fc.constant(guildId),
    applicationId: fc.constant(null),
    name,
    animated: fc.boolean(),
    creatorId: id,
    roleIds: fc.array(id.map(String), { maxLength: 3 }),
  });

const channelOf = (guildId: bigint) =>
  fc
    .record({
      id,
      type: fc.constantFrom(0, 2, 4, 5),
      name,
      topic: nameOrNull,
      position: small,
      parentId: idOrNull,
      nsfw: fc.boolean(),
      rateLimitPerUser: small,
      bitrate: small,
      userLimit: small,
      lastPinAt: fc.option(time),
      overwrites: fc.array(fc.record({ targetId: id, targetType: fc.constantFrom(0, 1), allow: bits, deny: bits }), {
        maxLength: 3,
      }),
    })
    .map((channel) => ({
      ...PLAIN_CHANNEL,
      ...channel,
      guildId,
      overwrites: channel.overwrites.map((overwrite) => ({ ...overwrite, channelId: channel.id })),
    }));

const stateOf = (guildId: bigint) =>
  fc
    .record({
      channelId: id,
      sessionId: name,
      selfMute: fc.boolean(),
      selfDeaf: fc.boolean(),
      selfVideo: fc.boolean(),
      suppress: fc.boolean(),
      member: memberOf(guildId),
    })
    .map((state) => ({ ...state, guildId, userId: state.member.userId }));

const told = id.chain((guildId) =>
  fc.record({
    snapshot: fc
      .record({
        guild: fc.record({
          description: nameOrNull,
          name,
          iconHash: nameOrNull,
          ownerId: id,
          afkChannelId: idOrNull,
          afkTimeout: small,
          systemChannelId: idOrNull,
          systemChannelFlags: small,
          verificationLevel: small,
          defaultMessageNotifications: small,
          explicitContentFilter: small,
          preferredLocale: name,
          roles: fc.array(roleOf(guildId), { maxLength: 4 }),
          emojis: fc.array(emojiOf(guildId), { maxLength: 3 }),
        }),
        channels: fc.uniqueArray(channelOf(guildId), { maxLength: 4, selector: (channel) => channel.id }),
        memberCount: small,
        newest: id,
      })
      .map(({ guild, channels, memberCount, newest }) => ({
        guild: { ...PLAIN_GUILD, ...guild, id: guildId },
        channels,
        lastMessageIds: new Map(
          channels.filter(({ type, id: channel }) => type !== 4 && channel % 2n === 0n).map((one) => [one.id, newest]),
        ),
        memberCount,
      })),
    voiceStates: fc.array(stateOf(guildId), { maxLength: 3 }),
  }),
);

type Told = ReturnType<typeof readGuild>;

const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const renderTold = ({ snapshot, voiceStates }: Told) => ({
  ...renderGuildCreate(snapshot),
  voice_states: voiceStates.map((state) => ({
    ...renderVoiceStateWithin(state),
    member: state.member && renderMember(state.member),
  })),
});

describe('R-27: parsed records equal the rendered ones', () => {
  it('for a guild, its channels, roles, emojis and voice states', () => {
    fc.assert(
      fc.property(told, (record) => {
        const shown = renderTold(record);
        expect(renderTold(readGuild(sent(shown), record.snapshot.guild.id))).toEqual(shown);
      }),
    );
  });

  it('for a member and its summary', () => {
    fc.assert(
      fc.property(memberOf(1n), (record) => {
        const shown = renderMember(record);
        const member = readMember(sent(shown), 1n);
        expect(renderMember(member)).toEqual(shown);
        const { user: _user, ...facts } = shown;
        expect(renderMemberSummary(memberSummaryOf(member))).toEqual(facts);
      }),
    );
  });

  it('for a member by the names that are displayed', () => {
    const names = { username: 'ada', global_name: 'Ada L', avatar: null };
    const member = { user: { id: '7', ...names }, nick: 'heron', roles: [], joined_at: '2026-01-02T03:04:05+00:00' };
    expect(readMember(member, 1n)).toMatchObject({ usernameKey: 'ADA', globalNameKey: 'ADA L', nickKey: 'HERON' });
  });
});

describe('R-35: an invalid record is refused', () => {
  const guild = {
    id: '1',
    name: 'Home',
    owner_id: '7',
    roles: [],
    channels: [],
    member_count: 1,
  };
  const channel = { id: '2', type: 0, name: 'general' };
  const role = { id: '1', name: '@everyone', permissions: '0', position: 0 };
  const user = { id: '7', username: 'ada' };
  const member = { user, roles: [], joined_at: '2026-01-02T03:04:05+00:00' };
  const state = { channel_id: '2', user_id: '7', session_id: 'a', self_mute: false, self_deaf: false };

  it('but a guild with required fields only is accepted', () => {
    const { snapshot, voiceStates } = readGuild({ ...guild, channels: [channel], roles: [role] }, 1n);
    expect(snapshot).toMatchObject({ guild: { emojis: [], preferredLocale: 'en-US' }, channels: [{ overwrites: [] }] });
    expect(voiceStates).toEqual([]);
  });

  it.each<[string, object]>([
    ['another guild', { id: '3' }],
    ['an id that is a number', { id: 1 }],
    ['an id in an unusual form', { id: '01' }],
    ['no owner', { owner_id: undefined }],
    ['a name without an end', { name: 'x'.repeat(201) }],
    ['roles without an end', { roles: Array.from({ length: 2 * limits.rolesPerGuild + 1 }, () => role) }],
    [
      'more channels than a guild has',
      { channels: Array.from({ length: limits.channelsPerGuild + 1 }, () => channel) },
    ],
    ['a topic without an end', { channels: [{ ...channel, topic: 'x'.repeat(2 * limits.channelTopic + 1) }] }],
    ['a description without an end', { description: 'x'.repeat(2 * limits.guildDescription + 1) }],
    ['permissions that are no number', { roles: [{ ...role, permissions: 'all' }] }],
    ['a direct channel', { channels: [{ ...channel, type: 1 }] }],
    ["a channel of another guild's", { channels: [{ ...channel, guild_id: '3' }] }],
    ['an overwrite of a third kind', { channels: [{ ...channel, permission_overwrites: [{ id: '1', type: 2 }] }] }],
    ['a time that is none', { channels: [{ ...channel, last_pin_timestamp: 'yesterday' }] }],
    ['fewer than no members', { member_count: -1 }],
  ])('%s', (_what, fields) => {
    expect(() => readGuild({ ...guild, ...fields }, 1n)).toThrow();
  });

  it('but a member count is limited to the maximum of a list', () => {
    const { snapshot } = readGuild({ ...guild, member_count: 2 ** 31 - 1 }, 1n);
    expect(snapshot.memberCount).toBe(1_000_000);
  });

  it.each<[string, object]>([
    ['without a member', { member: null }],
    ['of a member with another user', { user_id: '8', member }],
    ['in no channel', { channel_id: null, member }],
  ])('but an invalid voice state is left out: %s', (_what, fields) => {
    const told = readGuild(
      {
        ...guild,
        voice_states: [
          { ...state, ...fields },
          { ...state, member },
        ],
      },
      1n,
    );
    expect(told.voiceStates).toHaveLength(1);
  });

  it('as are more members than requested, or one of them twice', () => {
    expect(() => readMembers([member, { ...member, user: { ...user, id: '8' } }], 1n, 1)).toThrow();
    expect(() => readMembers([member, member], 1n, 2)).toThrow();
    expect(readMembers([member], 1n, 1)).toHaveLength(1);
  });
});
