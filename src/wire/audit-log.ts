import {
  type APIAuditLogChange,
  type APIAuditLogEntry,
  AuditLogEvent,
  AuditLogOptionsType,
} from 'discord-api-types/v10';
import { type AuditChanges, type GuildLogAction, type GuildLogEntry, readChanges } from '../domain/audit-log/index.js';
import type { Logger } from '../infra/logger.js';

/** What an entry's changes decide. */
type Details = Pick<APIAuditLogEntry, 'changes' | 'options'>;

/** How entries of one action are shown. */
interface Rendering<Changes> {
  type: AuditLogEvent;
  /** Whether the changes tell what it was done to, and the target does not. */
  withoutTarget?: true;
  details(changes: Changes, entry: GuildLogEntry): Details;
}

/** Targets, keys and options are those of Discord's documentation, Audit Logs Resource. */
const RENDERINGS: { [A in GuildLogAction]: Rendering<AuditChanges[A]> } = {
  CHANNEL_CREATE: {
    type: AuditLogEvent.ChannelCreate,
    details: (channel) => ({ changes: channelChanges(made(channel)) }),
  },
  CHANNEL_UPDATE: {
    type: AuditLogEvent.ChannelUpdate,
    details: (changes) => ({ changes: channelChanges(changes) }),
  },
  CHANNEL_DELETE: {
    type: AuditLogEvent.ChannelDelete,
    details: (channel) => ({ changes: channelChanges(removed(channel)) }),
  },
  CHANNEL_OVERWRITE_CREATE: {
    type: AuditLogEvent.ChannelOverwriteCreate,
    details: (overwrite) => ({
      options: overwriteOptions(overwrite),
      changes: [
        ...change('id', null, overwrite.id),
        ...change('type', null, String(overwrite.type)),
        ...overwriteChanges(overwrite),
      ],
    }),
  },
  CHANNEL_OVERWRITE_UPDATE: {
    type: AuditLogEvent.ChannelOverwriteUpdate,
    details: (overwrite) => ({ options: overwriteOptions(overwrite), changes: overwriteChanges(overwrite) }),
  },
  CHANNEL_OVERWRITE_DELETE: {
    type: AuditLogEvent.ChannelOverwriteDelete,
    details: (overwrite) => ({
      options: overwriteOptions(overwrite),
      changes: [
        ...change('id', overwrite.id, null),
        ...change('type', String(overwrite.type), null),
        ...overwriteChanges(overwrite),
      ],
    }),
  },
  ROLE_CREATE: {
    type: AuditLogEvent.RoleCreate,
    details: ({ name, permissions }) => ({
      changes: [...change('name', null, name), ...change('permissions', null, permissions)],
    }),
  },
  // Nobody but the inviter makes an invite, and it begins without a use.
  INVITE_CREATE: {
    type: AuditLogEvent.InviteCreate,
    withoutTarget: true,
    details: (changes, { actorId, targetId }) => ({
      changes: inviteChanges('made', { ...changes, uses: 0, inviterId: idText(actorId), channelId: idText(targetId) }),
    }),
  },
  INVITE_DELETE: {
    type: AuditLogEvent.InviteDelete,
    withoutTarget: true,
    details: (changes, { targetId }) => ({
      changes: inviteChanges('removed', { ...changes, channelId: idText(targetId) }),
    }),
  },
  MEMBER_ROLE_UPDATE: {
    type: AuditLogEvent.MemberRoleUpdate,
    details: ({ added, removed }) => ({
      changes: [
        ...(added.length > 0 ? change('$add', null, added) : []),
        ...(removed.length > 0 ? change('$remove', null, removed) : []),
      ],
    }),
  },
  COMMAND_PERMISSIONS_UPDATE: {
    type: AuditLogEvent.ApplicationCommandPermissionUpdate,
    details: ({ applicationId, permissions }) => ({
      options: { application_id: applicationId },
      changes: permissions.flatMap(permissionChange),
    }),
  },
  BOT_ADD: { type: AuditLogEvent.BotAdd, details: () => ({}) },
  MESSAGE_DELETE: {
    type: AuditLogEvent.MessageDelete,
    details: ({ channelId }) => ({ options: { channel_id: channelId, count: '1' } }),
  },
};

/**
 * An entry of a guild's audit log, whenever it was written. One whose changes cannot be read is shown without them.
 * @param log hears of such an entry; not needed for one that was just written
 */
export function renderAuditLogEntry(entry: GuildLogEntry, log?: Pick<Logger, 'error'>): APIAuditLogEntry {
  const { type, withoutTarget } = RENDERINGS[entry.action];
  return {
    id: String(entry.id),
    user_id: idText(entry.actorId),
    target_id: withoutTarget ? null : idText(entry.targetId),
    action_type: type,
    ...detailsOf(entry.action, entry, log),
    ...(entry.reason === null ? {} : { reason: entry.reason }),
  };
}

function detailsOf<A extends GuildLogAction>(
  action: A,
  entry: GuildLogEntry,
  log: Pick<Logger, 'error'> | undefined,
): Details {
  const changes = changesOf(action, entry, log);
  return changes ? RENDERINGS[action].details(changes, entry) : {};
}

function changesOf<A extends GuildLogAction>(
  action: A,
  entry: GuildLogEntry,
  log: Pick<Logger, 'error'> | undefined,
): AuditChanges[A] | null {
  try {
    return readChanges(action, entry.changes);
  } catch (error) {
    log?.error({ err: error, entry: String(entry.id), action }, 'an entry of the audit log cannot be read');
    return null;
  }
}

function idText(id: bigint | null): string | null {
  return id === null ? null : String(id);
}

/** A change of one value, in which null is no value; none where neither is known. */
function change<Key extends string, Value>(key: Key, before: Value | null, after: Value | null) {
  if (before === null && after === null) return [];
  return [{ key, ...(before === null ? {} : { old_value: before }), ...(after === null ? {} : { new_value: after }) }];
}

/** The wire's names of what a channel has. */
const CHANNEL_KEYS = {
  name: 'name',
  type: 'type',
  position: 'position',
  parentId: 'parent_id',
  topic: 'topic',
  bitrate: 'bitrate',
  userLimit: 'user_limit',
  nsfw: 'nsfw',
  rateLimitPerUser: 'rate_limit_per_user',
  overwrites: 'permission_overwrites',
} as const;

type ChannelChanges = { [Name in keyof typeof CHANNEL_KEYS]?: { old: unknown; new: unknown } | undefined };

type ChannelFacts = { [Name in keyof typeof CHANNEL_KEYS]?: unknown };

/** Each value of something as one that came to be. */
function made(facts: ChannelFacts): ChannelChanges {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, { old: null, new: value }]));
}

/** Each value of something as one that went. */
function removed(facts: ChannelFacts): ChannelChanges {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, { old: value, new: null }]));
}

function channelChanges(changes: ChannelChanges): APIAuditLogChange[] {
  const shown = Object.entries(CHANNEL_KEYS).flatMap(([name, key]) => {
    const values = changes[name as keyof ChannelChanges];
    return values ? change(key, values.old, values.new) : [];
  });
  // The key is any field of a channel, of which the types know some.
  return shown as APIAuditLogChange[];
}

type OverwriteChanges = AuditChanges['CHANNEL_OVERWRITE_UPDATE'];

function overwriteOptions({ id, type, roleName }: OverwriteChanges) {
  const options = { id, type: type === 0 ? AuditLogOptionsType.Role : AuditLogOptionsType.Member };
  return roleName === null ? options : { ...options, role_name: roleName };
}

/** Only of what differs. */
function overwriteChanges({ allow, deny }: OverwriteChanges): APIAuditLogChange[] {
  return [
    ...(allow.old === allow.new ? [] : change('allow', allow.old, allow.new)),
    ...(deny.old === deny.new ? [] : change('deny', deny.old, deny.new)),
  ];
}

interface InviteFacts {
  code: string;
  channelId: string | null;
  inviterId: string | null;
  maxUses: number | null;
  uses: number | null;
  maxAge: number | null;
}

function inviteChanges(what: 'made' | 'removed', invite: InviteFacts): APIAuditLogChange[] {
  const fact = <Key extends string, Value>(key: Key, value: Value | null) =>
    what === 'made' ? change(key, null, value) : change(key, value, null);
  return [
    ...fact('code', invite.code),
    ...fact('channel_id', invite.channelId),
    ...fact('inviter_id', invite.inviterId),
    ...fact('max_uses', invite.maxUses),
    ...fact('uses', invite.uses),
    ...fact('max_age', invite.maxAge),
    ...fact('temporary', false),
  ];
}

type PermissionChange = AuditChanges['COMMAND_PERMISSIONS_UPDATE']['permissions'][number];

function permissionChange({ id, type, ...said }: PermissionChange): APIAuditLogChange[] {
  const entryOf = (permission: boolean | null) => (permission === null ? null : { id, type, permission });
  // The key is the target's id, of which the types know nothing.
  return change(id, entryOf(said.old), entryOf(said.new)) as unknown as APIAuditLogChange[];
}
