import { describe, expect, it } from 'vitest';
import { isGuildLogEntry } from '../../src/domain/audit-log/guild-log.js';
import type { AuditEntry } from '../../src/infra/database/index.js';
import type { Logger } from '../../src/infra/observability/logger.js';
import { renderAuditLogEntry } from '../../src/wire/audit-log.js';
import { readableLog, readLines } from '../harness/log.js';
import { expectReference } from '../harness/reference.js';

const ENTRY_ID = 1573921600191856640n;
const GUILD_ID = 1573921593166397440n;
const ACTOR_ID = 1573921593170591744n;
const TARGET_ID = 1573921596165324800n;

function stored(action: string, changes: AuditEntry['changes'], reason: string | null = null): AuditEntry {
  const owners = { applicationId: null, teamId: null, guildId: GUILD_ID };
  return { id: ENTRY_ID, ...owners, actorId: ACTOR_ID, action, targetId: TARGET_ID, changes, reason };
}

const rendered = (entry: AuditEntry, log?: Logger) => (isGuildLogEntry(entry) ? renderAuditLogEntry(entry, log) : null);

const target = String(TARGET_ID);
const code = 'tSxBOAhx';
const helpers = { id: '1573921600946831360', name: 'Helpers' };
const said = { id: '1573921600946831360', type: 0, allow: '0', deny: '1024' };
const others = { id: '1573921603769597952', name: 'Others' };

/** The stored entry of each action, including old forms, and its form in the guild's audit log. */
const ENTRIES: [what: string, entry: AuditEntry, shown: object][] = [
  [
    'CHANNEL_CREATE',
    stored('CHANNEL_CREATE', { name: 'news', type: 5 }),
    {
      action_type: 10,
      target_id: target,
      changes: [
        { key: 'name', new_value: 'news' },
        { key: 'type', new_value: 5 },
      ],
    },
  ],
  [
    'CHANNEL_CREATE with all that a channel is made with',
    stored('CHANNEL_CREATE', {
      name: 'news',
      type: 0,
      topic: null,
      nsfw: false,
      rateLimitPerUser: 5,
      overwrites: [said],
    }),
    {
      action_type: 10,
      target_id: target,
      changes: [
        { key: 'name', new_value: 'news' },
        { key: 'type', new_value: 0 },
        { key: 'nsfw', new_value: false },
        { key: 'rate_limit_per_user', new_value: 5 },
        { key: 'permission_overwrites', new_value: [said] },
      ],
    },
  ],
  [
    'CHANNEL_UPDATE',
    stored('CHANNEL_UPDATE', {
      name: { old: 'news', new: 'old news' },
      topic: { old: 'x', new: null },
      position: { old: 1, new: 2 },
      parentId: { old: null, new: target },
      userLimit: { old: 0, new: 5 },
      overwrites: { old: [], new: [said] },
    }),
    {
      action_type: 11,
      target_id: target,
      changes: [
        { key: 'name', old_value: 'news', new_value: 'old news' },
        { key: 'position', old_value: 1, new_value: 2 },
        { key: 'parent_id', new_value: target },
        { key: 'topic', old_value: 'x' },
        { key: 'user_limit', old_value: 0, new_value: 5 },
        { key: 'permission_overwrites', old_value: [], new_value: [said] },
      ],
    },
  ],
  [
    'CHANNEL_DELETE',
    stored('CHANNEL_DELETE', { name: 'Talk', type: 2, nsfw: false, bitrate: 64_000, userLimit: 0, overwrites: [] }),
    {
      action_type: 12,
      target_id: target,
      changes: [
        { key: 'name', old_value: 'Talk' },
        { key: 'type', old_value: 2 },
        { key: 'bitrate', old_value: 64_000 },
        { key: 'user_limit', old_value: 0 },
        { key: 'nsfw', old_value: false },
        { key: 'permission_overwrites', old_value: [] },
      ],
    },
  ],
  [
    'CHANNEL_OVERWRITE_CREATE for a role',
    stored('CHANNEL_OVERWRITE_CREATE', {
      id: helpers.id,
      type: 0,
      roleName: 'Helpers',
      allow: { old: null, new: '1024' },
      deny: { old: null, new: '0' },
    }),
    {
      action_type: 13,
      target_id: target,
      options: { id: helpers.id, type: '0', role_name: 'Helpers' },
      changes: [
        { key: 'id', new_value: helpers.id },
        { key: 'type', new_value: '0' },
        { key: 'allow', new_value: '1024' },
        { key: 'deny', new_value: '0' },
      ],
    },
  ],
  [
    'CHANNEL_OVERWRITE_UPDATE for a member, with what differs',
    stored('CHANNEL_OVERWRITE_UPDATE', {
      id: others.id,
      type: 1,
      roleName: null,
      allow: { old: '0', new: '1024' },
      deny: { old: '0', new: '0' },
    }),
    {
      action_type: 14,
      target_id: target,
      options: { id: others.id, type: '1' },
      changes: [{ key: 'allow', old_value: '0', new_value: '1024' }],
    },
  ],
  [
    'CHANNEL_OVERWRITE_DELETE',
    stored('CHANNEL_OVERWRITE_DELETE', {
      id: helpers.id,
      type: 0,
      roleName: null,
      allow: { old: '1024', new: null },
      deny: { old: '0', new: null },
    }),
    {
      action_type: 15,
      target_id: target,
      options: { id: helpers.id, type: '0' },
      changes: [
        { key: 'id', old_value: helpers.id },
        { key: 'type', old_value: '0' },
        { key: 'allow', old_value: '1024' },
        { key: 'deny', old_value: '0' },
      ],
    },
  ],
  [
    'ROLE_CREATE',
    stored('ROLE_CREATE', { name: 'Helpers', permissions: '8192' }),
    {
      action_type: 30,
      target_id: target,
      changes: [
        { key: 'name', new_value: 'Helpers' },
        { key: 'permissions', new_value: '8192' },
      ],
    },
  ],
  [
    'ROLE_CREATE with all that a role has',
    stored('ROLE_CREATE', { name: 'Helpers', permissions: '0', color: 0, hoist: false, mentionable: true }),
    {
      action_type: 30,
      target_id: target,
      changes: [
        { key: 'name', new_value: 'Helpers' },
        { key: 'permissions', new_value: '0' },
        { key: 'color', new_value: 0 },
        { key: 'hoist', new_value: false },
        { key: 'mentionable', new_value: true },
      ],
    },
  ],
  [
    'ROLE_UPDATE',
    stored('ROLE_UPDATE', {
      name: { old: 'Helpers', new: 'Others' },
      permissions: { old: '0', new: '8' },
      color: { old: 0, new: 255 },
      hoist: { old: false, new: true },
      mentionable: { old: true, new: false },
    }),
    {
      action_type: 31,
      target_id: target,
      changes: [
        { key: 'name', old_value: 'Helpers', new_value: 'Others' },
        { key: 'permissions', old_value: '0', new_value: '8' },
        { key: 'color', old_value: 0, new_value: 255 },
        { key: 'hoist', old_value: false, new_value: true },
        { key: 'mentionable', old_value: true, new_value: false },
      ],
    },
  ],
  [
    'ROLE_DELETE',
    stored('ROLE_DELETE', { name: 'Helpers', permissions: '0', color: 1, hoist: true, mentionable: false }),
    {
      action_type: 32,
      target_id: target,
      changes: [
        { key: 'name', old_value: 'Helpers' },
        { key: 'permissions', old_value: '0' },
        { key: 'color', old_value: 1 },
        { key: 'hoist', old_value: true },
        { key: 'mentionable', old_value: false },
      ],
    },
  ],
  [
    'MEMBER_PRUNE',
    stored('MEMBER_PRUNE', { days: 7, count: 12 }),
    { action_type: 21, target_id: null, options: { delete_member_days: '7', members_removed: '12' } },
  ],
  ['MEMBER_KICK', stored('MEMBER_KICK', {}), { action_type: 20, target_id: target }],
  ['MEMBER_BAN_ADD', stored('MEMBER_BAN_ADD', {}), { action_type: 22, target_id: target }],
  ['MEMBER_BAN_REMOVE', stored('MEMBER_BAN_REMOVE', {}), { action_type: 23, target_id: target }],
  [
    'MEMBER_UPDATE',
    stored('MEMBER_UPDATE', {
      nick: { old: null, new: 'Heron' },
      mute: { old: false, new: true },
      deaf: { old: true, new: false },
      communicationDisabledUntil: { old: null, new: '2026-01-01T00:00:00.000Z' },
    }),
    {
      action_type: 24,
      target_id: target,
      changes: [
        { key: 'nick', new_value: 'Heron' },
        { key: 'mute', old_value: false, new_value: true },
        { key: 'deaf', old_value: true, new_value: false },
        { key: 'communication_disabled_until', new_value: '2026-01-01T00:00:00.000Z' },
      ],
    },
  ],
  [
    'MEMBER_ROLE_UPDATE with a role more',
    stored('MEMBER_ROLE_UPDATE', { added: [helpers], removed: [] }),
    { action_type: 25, target_id: target, changes: [{ key: '$add', new_value: [helpers] }] },
  ],
  [
    'MEMBER_ROLE_UPDATE with another role',
    stored('MEMBER_ROLE_UPDATE', { added: [others], removed: [helpers] }),
    {
      action_type: 25,
      target_id: target,
      changes: [
        { key: '$add', new_value: [others] },
        { key: '$remove', new_value: [helpers] },
      ],
    },
  ],
  [
    'COMMAND_PERMISSIONS_UPDATE',
    stored('COMMAND_PERMISSIONS_UPDATE', {
      applicationId: '5',
      permissions: [
        { id: '7', type: 2, old: null, new: true },
        { id: '8', type: 1, old: true, new: false },
        { id: '9', type: 3, old: false, new: null },
      ],
    }),
    {
      action_type: 121,
      target_id: target,
      options: { application_id: '5' },
      changes: [
        { key: '7', new_value: { id: '7', type: 2, permission: true } },
        {
          key: '8',
          old_value: { id: '8', type: 1, permission: true },
          new_value: { id: '8', type: 1, permission: false },
        },
        { key: '9', old_value: { id: '9', type: 3, permission: false } },
      ],
    },
  ],
  [
    'INVITE_CREATE',
    stored('INVITE_CREATE', { code, maxAge: 3600, maxUses: 5 }),
    {
      action_type: 40,
      target_id: null,
      changes: [
        { key: 'code', new_value: code },
        { key: 'channel_id', new_value: target },
        { key: 'inviter_id', new_value: String(ACTOR_ID) },
        { key: 'max_uses', new_value: 5 },
        { key: 'uses', new_value: 0 },
        { key: 'max_age', new_value: 3600 },
        { key: 'temporary', new_value: false },
      ],
    },
  ],
  [
    'INVITE_CREATE that kept the code alone',
    stored('INVITE_CREATE', { code }),
    {
      action_type: 40,
      target_id: null,
      changes: [
        { key: 'code', new_value: code },
        { key: 'channel_id', new_value: target },
        { key: 'inviter_id', new_value: String(ACTOR_ID) },
        { key: 'uses', new_value: 0 },
        { key: 'temporary', new_value: false },
      ],
    },
  ],
  [
    'INVITE_DELETE that kept the code alone',
    stored('INVITE_DELETE', { code }),
    {
      action_type: 42,
      target_id: null,
      changes: [
        { key: 'code', old_value: code },
        { key: 'channel_id', old_value: target },
        { key: 'temporary', old_value: false },
      ],
    },
  ],
  [
    'INVITE_DELETE',
    stored('INVITE_DELETE', { code, inviterId: '77', maxAge: 0, maxUses: 5, uses: 2 }),
    {
      action_type: 42,
      target_id: null,
      changes: [
        { key: 'code', old_value: code },
        { key: 'channel_id', old_value: target },
        { key: 'inviter_id', old_value: '77' },
        { key: 'max_uses', old_value: 5 },
        { key: 'uses', old_value: 2 },
        { key: 'max_age', old_value: 0 },
        { key: 'temporary', old_value: false },
      ],
    },
  ],
  ['BOT_ADD', stored('BOT_ADD', {}), { action_type: 28, target_id: target }],
  [
    'INTEGRATION_CREATE',
    stored('INTEGRATION_CREATE', { applicationId: '41', name: 'Helper' }),
    {
      action_type: 80,
      target_id: target,
      changes: [
        { key: 'name', new_value: 'Helper' },
        { key: 'type', new_value: 'discord' },
        { key: 'application_id', new_value: '41' },
      ],
    },
  ],
  [
    'INTEGRATION_DELETE',
    stored('INTEGRATION_DELETE', { applicationId: '41', name: 'Helper' }),
    {
      action_type: 82,
      target_id: target,
      changes: [
        { key: 'name', old_value: 'Helper' },
        { key: 'type', old_value: 'discord' },
        { key: 'application_id', old_value: '41' },
      ],
    },
  ],
  [
    'MESSAGE_DELETE',
    stored('MESSAGE_DELETE', { channelId: '31', messageId: '32' }),
    { action_type: 72, target_id: target, options: { channel_id: '31', count: '1' } },
  ],
];

describe('an audit log entry', () => {
  it.each(ENTRIES)('%s is rendered', (_, entry, shown) => {
    const wire = rendered(entry);
    expect(wire).toEqual({ id: String(ENTRY_ID), user_id: String(ACTOR_ID), ...shown });
    expectReference('AuditLogEntryResponse', wire);
  });

  it.each([
    ['MEMBER_ROLE_UPDATE', { added: 'Helpers' }, { action_type: 25, target_id: target }],
    ['INVITE_CREATE', {}, { action_type: 40, target_id: null }],
    ['CHANNEL_CREATE', null, { action_type: 10, target_id: target }],
  ])('%s is shown without unreadable changes, which are logged', (action, changes, shown) => {
    const { log, lines } = readableLog();
    const wire = rendered(stored(action, changes), log);
    expect(wire).toEqual({ id: String(ENTRY_ID), user_id: String(ACTOR_ID), ...shown });
    expectReference('AuditLogEntryResponse', wire);
    expect(readLines(lines)).toMatchObject([{ level: 50, action, entry: String(ENTRY_ID) }]);
  });

  it('has its reason if there is one', () => {
    expect(rendered(stored('BOT_ADD', {}, 'tidying up'))).toMatchObject({ reason: 'tidying up' });
    expect(rendered(stored('BOT_ADD', {}))).not.toHaveProperty('reason');
  });

  it('has no user if the actor is unknown', () => {
    expect(rendered({ ...stored('BOT_ADD', {}), actorId: null })).toMatchObject({ user_id: null });
  });

  it.each([
    ['GUILD_CREATE', { name: 'Test guild' }],
    ['ROLE_POSITIONS_UPDATE', { roles: [{ ...helpers, old: 1, new: 2 }] }],
    ['MEMBER_ADD', { nick: null, roles: [] }],
    ['INSTALLATION_PUT', { scopes: ['bot'], permissions: { old: null, new: '0' } }],
    ['INSTALLATION_DELETE', {}],
  ])('%s is hidden, because the reference platform has no such action', (action, changes) => {
    expect(rendered(stored(action, changes))).toBeNull();
  });

  it('is hidden without a guild', () => {
    expect(rendered({ ...stored('BOT_ADD', {}), guildId: null })).toBeNull();
  });
});
