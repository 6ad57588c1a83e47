import {
  type APIAuditLog,
  type APIAuditLogChange,
  type APIAuditLogEntry,
  AuditLogEvent,
  AuditLogOptionsType,
  WebhookType,
} from 'discord-api-types/v10';
import {
  type AuditChanges,
  type GuildLogAction,
  type GuildLogEntry,
  type GuildLogPage,
  readChanges,
} from '../domain/audit-log/index.js';
import type { Logger } from '../infra/observability/logger.js';
import { renderCommand } from './commands.js';
import { wireName } from './names.js';
import { renderUser } from './users.js';
import { renderWebhook } from './webhooks.js';

type Details = Pick<APIAuditLogEntry, 'changes' | 'options'>;

interface Rendering<Changes> {
  type: AuditLogEvent;
  /** Whether `target_id` is null. */
  withoutTarget?: true;
  details(changes: Changes, entry: GuildLogEntry): Details;
}

/** Targets, keys and options follow Discord's documentation, Audit Logs Resource. */
const RENDERINGS: { [A in GuildLogAction]: Rendering<AuditChanges[A]> } = {
  GUILD_UPDATE: {
    type: AuditLogEvent.GuildUpdate,
    details: (changes) => ({
      changes: Object.entries(changes).flatMap(([column, said]) => guildChange(column, said)),
    }),
  },
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
    details: (role) => ({ changes: roleChanges('made', role) }),
  },
  ROLE_UPDATE: {
    type: AuditLogEvent.RoleUpdate,
    details: ({ name, permissions, color, hoist, mentionable }) => ({
      changes: [
        ...changeOf('name', name),
        ...changeOf('permissions', permissions),
        ...changeOf('color', color),
        ...changeOf('hoist', hoist),
        ...changeOf('mentionable', mentionable),
      ],
    }),
  },
  ROLE_DELETE: {
    type: AuditLogEvent.RoleDelete,
    details: (role) => ({ changes: roleChanges('removed', role) }),
  },
  EMOJI_CREATE: { type: AuditLogEvent.EmojiCreate, details: ({ name }) => ({ changes: change('name', null, name) }) },
  EMOJI_UPDATE: {
    type: AuditLogEvent.EmojiUpdate,
    details: ({ name }) => (name ? { changes: change('name', name.old, name.new) } : {}),
  },
  EMOJI_DELETE: { type: AuditLogEvent.EmojiDelete, details: ({ name }) => ({ changes: change('name', name, null) }) },
  // A new invite has no uses, and its inviter is the actor. So `uses` and the inviter are not stored.
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
  MEMBER_KICK: { type: AuditLogEvent.MemberKick, details: () => ({}) },
  MEMBER_PRUNE: {
    type: AuditLogEvent.MemberPrune,
    withoutTarget: true,
    details: ({ days, count }) => ({
      options: { delete_member_days: String(days), members_removed: String(count) },
    }),
  },
  MEMBER_BAN_ADD: { type: AuditLogEvent.MemberBanAdd, details: () => ({}) },
  MEMBER_BAN_REMOVE: { type: AuditLogEvent.MemberBanRemove, details: () => ({}) },
  MEMBER_UPDATE: {
    type: AuditLogEvent.MemberUpdate,
    details: ({ nick, mute, deaf, communicationDisabledUntil }) => ({
      changes: [
        ...changeOf('nick', nick),
        ...changeOf('mute', mute),
        ...changeOf('deaf', deaf),
        ...changeOf('communication_disabled_until', communicationDisabledUntil),
      ],
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
  // The reference platform groups several of these into one entry without a target.
  MEMBER_MOVE: {
    type: AuditLogEvent.MemberMove,
    withoutTarget: true,
    details: ({ channelId }) => ({ options: { channel_id: channelId, count: '1' } }),
  },
  MEMBER_DISCONNECT: {
    type: AuditLogEvent.MemberDisconnect,
    withoutTarget: true,
    details: () => ({ options: { count: '1' } }),
  },
  COMMAND_PERMISSIONS_UPDATE: {
    type: AuditLogEvent.ApplicationCommandPermissionUpdate,
    details: ({ applicationId, permissions }) => ({
      options: { application_id: applicationId },
      changes: permissions.flatMap(permissionChange),
    }),
  },
  BOT_ADD: { type: AuditLogEvent.BotAdd, details: () => ({}) },
  WEBHOOK_CREATE: {
    type: AuditLogEvent.WebhookCreate,
    details: (webhook) => ({ changes: webhookChanges('made', webhook) }),
  },
  WEBHOOK_UPDATE: {
    type: AuditLogEvent.WebhookUpdate,
    details: ({ name, channelId }) => ({
      changes: [...changeOf('name', name), ...changeOf('channel_id', channelId)],
    }),
  },
  WEBHOOK_DELETE: {
    type: AuditLogEvent.WebhookDelete,
    details: (webhook) => ({ changes: webhookChanges('removed', webhook) }),
  },
  INTEGRATION_CREATE: {
    type: AuditLogEvent.IntegrationCreate,
    details: (integration) => ({ changes: integrationChanges('made', integration) }),
  },
  INTEGRATION_DELETE: {
    type: AuditLogEvent.IntegrationDelete,
    details: (integration) => ({ changes: integrationChanges('removed', integration) }),
  },
  MESSAGE_DELETE: {
    type: AuditLogEvent.MessageDelete,
    details: ({ channelId }) => ({ options: { channel_id: channelId, count: '1' } }),
  },
  MESSAGE_BULK_DELETE: {
    type: AuditLogEvent.MessageBulkDelete,
    details: ({ count }) => ({ options: { count: String(count) } }),
  },
  MESSAGE_PIN: { type: AuditLogEvent.MessagePin, details: pinDetails },
  MESSAGE_UNPIN: { type: AuditLogEvent.MessageUnpin, details: pinDetails },
};

/** The actions with this event type of the reference platform. Empty for an unknown or unused type. */
export function actionsOfType(type: number): GuildLogAction[] {
  const shown = Object.entries(RENDERINGS) as [GuildLogAction, { type: AuditLogEvent }][];
  return shown.filter(([, rendering]) => rendering.type === type).map(([action]) => action);
}

export function renderAuditLog(
  { entries, users, commands, webhooks }: GuildLogPage,
  log: Pick<Logger, 'error'>,
): APIAuditLog {
  return {
    audit_log_entries: entries.map((entry) => renderAuditLogEntry(entry, log)),
    users: users.map(renderUser),
    application_commands: commands.map((command) => renderCommand(command)) as APIAuditLog['application_commands'],
    integrations: [],
    webhooks: webhooks.map(renderWebhook),
    threads: [],
    guild_scheduled_events: [],
    auto_moderation_rules: [],
  };
}

/**
 * Omits and logs changes that cannot be read.
 * @param log not needed for an entry that was just written
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
    log?.error({ err: error, entry: String(entry.id), action }, 'Could not read an audit log entry');
    return null;
  }
}

function idText(id: bigint | null): string | null {
  return id === null ? null : String(id);
}

function pinDetails({ channelId, messageId }: AuditChanges['MESSAGE_PIN']): Details {
  return { options: { channel_id: channelId, message_id: messageId } };
}

/** A null value is omitted. Empty if both are null. */
function change<Key extends string, Value>(key: Key, before: Value | null, after: Value | null) {
  if (before === null && after === null) return [];
  return [{ key, ...(before === null ? {} : { old_value: before }), ...(after === null ? {} : { new_value: after }) }];
}

function changeOf<Key extends string, Value>(key: Key, changed: { old: Value | null; new: Value | null } | undefined) {
  return changed ? change(key, changed.old, changed.new) : [];
}

function factOf(what: 'made' | 'removed') {
  return <Key extends string, Value>(key: Key, value: Value | null) =>
    what === 'made' ? change(key, null, value) : change(key, value, null);
}

function roleChanges(what: 'made' | 'removed', role: AuditChanges['ROLE_CREATE']): APIAuditLogChange[] {
  const fact = factOf(what);
  return [
    ...fact('name', role.name),
    ...fact('permissions', role.permissions),
    ...fact('color', role.color),
    ...fact('hoist', role.hoist),
    ...fact('mentionable', role.mentionable),
  ];
}

function integrationChanges(
  what: 'made' | 'removed',
  { applicationId, name }: AuditChanges['INTEGRATION_CREATE'],
): APIAuditLogChange[] {
  const fact = factOf(what);
  return [...fact('name', name), ...fact('type', 'discord'), ...fact('application_id', applicationId)];
}

function webhookChanges(
  what: 'made' | 'removed',
  { name, channelId, applicationId }: AuditChanges['WEBHOOK_CREATE'],
): APIAuditLogChange[] {
  const fact = factOf(what);
  return [
    ...fact('type', WebhookType.Incoming),
    ...fact('channel_id', channelId),
    ...fact('name', name),
    ...fact('application_id', applicationId),
  ];
}

type GuildChange = AuditChanges['GUILD_UPDATE'][string];

function guildChange(column: string, said: GuildChange): APIAuditLogChange[] {
  // The types fix the value of each key, but the keys are dynamic here.
  return change(wireName(column), said.old, said.new) as unknown as APIAuditLogChange[];
}

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

type ChannelAuditFields = { [Name in keyof typeof CHANNEL_KEYS]?: unknown };

function made(facts: ChannelAuditFields): ChannelChanges {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, { old: null, new: value }]));
}

function removed(facts: ChannelAuditFields): ChannelChanges {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, { old: value, new: null }]));
}

function channelChanges(changes: ChannelChanges): APIAuditLogChange[] {
  const shown = Object.entries(CHANNEL_KEYS).flatMap(([name, key]) => {
    const values = changes[name as keyof ChannelChanges];
    return values ? change(key, values.old, values.new) : [];
  });
  // The types know only some of the channel fields.
  return shown as APIAuditLogChange[];
}

type OverwriteChanges = AuditChanges['CHANNEL_OVERWRITE_UPDATE'];

function overwriteOptions({ id, type, roleName }: OverwriteChanges) {
  const options = { id, type: type === 0 ? AuditLogOptionsType.Role : AuditLogOptionsType.Member };
  return roleName === null ? options : { ...options, role_name: roleName };
}

/** Includes only fields that differ. */
function overwriteChanges({ allow, deny }: OverwriteChanges): APIAuditLogChange[] {
  return [
    ...(allow.old === allow.new ? [] : change('allow', allow.old, allow.new)),
    ...(deny.old === deny.new ? [] : change('deny', deny.old, deny.new)),
  ];
}

interface InviteAuditFields {
  code: string;
  channelId: string | null;
  inviterId: string | null;
  maxUses: number | null;
  uses: number | null;
  maxAge: number | null;
  temporary: boolean;
}

function inviteChanges(what: 'made' | 'removed', invite: InviteAuditFields): APIAuditLogChange[] {
  const fact = factOf(what);
  return [
    ...fact('code', invite.code),
    ...fact('channel_id', invite.channelId),
    ...fact('inviter_id', invite.inviterId),
    ...fact('max_uses', invite.maxUses),
    ...fact('uses', invite.uses),
    ...fact('max_age', invite.maxAge),
    ...fact('temporary', invite.temporary),
  ];
}

type PermissionChange = AuditChanges['COMMAND_PERMISSIONS_UPDATE']['permissions'][number];

function permissionChange({ id, type, ...said }: PermissionChange): APIAuditLogChange[] {
  const entryOf = (permission: boolean | null) => (permission === null ? null : { id, type, permission });
  // The types do not allow an id as a key.
  return change(id, entryOf(said.old), entryOf(said.new)) as unknown as APIAuditLogChange[];
}
