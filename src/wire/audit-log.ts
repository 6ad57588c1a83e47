import { type APIAuditLogChange, type APIAuditLogEntry, AuditLogEvent } from 'discord-api-types/v10';
import { type AuditChanges, type GuildLogAction, type GuildLogEntry, readChanges } from '../domain/audit-log/index.js';

/** What an entry's action decides. */
type Details = Omit<APIAuditLogEntry, 'id' | 'user_id' | 'target_id' | 'reason'> & {
  /** Null where the changes tell what it was done to. */
  target_id?: null;
};

type Renderers = { [A in GuildLogAction]: (changes: AuditChanges[A], entry: GuildLogEntry) => Details };

/** Targets, keys and options are those of Discord's documentation, Audit Logs Resource. */
const RENDERERS: Renderers = {
  CHANNEL_CREATE: ({ name, type }) => ({
    action_type: AuditLogEvent.ChannelCreate,
    changes: [...change('name', null, name), ...change('type', null, type)],
  }),
  ROLE_CREATE: ({ name, permissions }) => ({
    action_type: AuditLogEvent.RoleCreate,
    changes: [...change('name', null, name), ...change('permissions', null, permissions)],
  }),
  // Nobody but the inviter makes an invite, and it begins without a use.
  INVITE_CREATE: (changes, { actorId, targetId }) => ({
    action_type: AuditLogEvent.InviteCreate,
    target_id: null,
    changes: inviteChanges('made', { ...changes, uses: 0, inviterId: idText(actorId), channelId: idText(targetId) }),
  }),
  INVITE_DELETE: (changes, { targetId }) => ({
    action_type: AuditLogEvent.InviteDelete,
    target_id: null,
    changes: inviteChanges('removed', { ...changes, channelId: idText(targetId) }),
  }),
  MEMBER_ROLE_UPDATE: ({ added, removed }) => ({
    action_type: AuditLogEvent.MemberRoleUpdate,
    changes: [
      ...(added.length > 0 ? change('$add', null, added) : []),
      ...(removed.length > 0 ? change('$remove', null, removed) : []),
    ],
  }),
  BOT_ADD: () => ({ action_type: AuditLogEvent.BotAdd }),
  MESSAGE_DELETE: ({ channelId }) => ({
    action_type: AuditLogEvent.MessageDelete,
    options: { channel_id: channelId, count: '1' },
  }),
};

/** An entry of a guild's audit log, whenever it was written. */
export function renderAuditLogEntry(entry: GuildLogEntry): APIAuditLogEntry {
  return {
    id: String(entry.id),
    user_id: idText(entry.actorId),
    target_id: idText(entry.targetId),
    ...detailsOf(entry.action, entry),
    ...(entry.reason === null ? {} : { reason: entry.reason }),
  };
}

function detailsOf<A extends GuildLogAction>(action: A, entry: GuildLogEntry): Details {
  return RENDERERS[action](readChanges(action, entry.changes), entry);
}

function idText(id: bigint | null): string | null {
  return id === null ? null : String(id);
}

/** A change of one value, in which null is no value; none where neither is known. */
function change<Key extends string, Value>(key: Key, before: Value | null, after: Value | null) {
  if (before === null && after === null) return [];
  return [{ key, ...(before === null ? {} : { old_value: before }), ...(after === null ? {} : { new_value: after }) }];
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
