import type { Invite } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { AuditChanges } from '../audit-log/actions.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { CHANNEL_OPERATIONS, GUILD_OPERATIONS } from '../guild-operations.js';
import { accessGuild } from '../guilds/access.js';
import { permissionsInChannel } from '../guilds/store.js';
import { allows } from '../permissions.js';
import { findInvite, maxAgeOf } from './find.js';
import type { InviteRecord } from './record.js';

/**
 * The caller must be a member. Invites of other users need ManageGuild, or ManageChannels in the channel.
 * @throws UNAUTHENTICATED, UNKNOWN_INVITE, MISSING_PERMISSIONS
 */
export async function deleteInvite(call: CallContext, code: string): Promise<InviteRecord> {
  requireUser(call);
  const invite = await findInvite(call.read, call.clock.now(), code);
  if (!invite) throw new DomainError('UNKNOWN_INVITE');
  await requireRight(call, invite);
  const { guildId, channelId } = invite;
  const remove = async ({ db, record, audit }: Write) => {
    const { count } = await db.invite.deleteMany({ where: { code } });
    if (count === 0) throw new DomainError('UNKNOWN_INVITE');
    await audit({ action: 'INVITE_DELETE', guildId, targetId: channelId, changes: auditFieldsOf(invite) });
    record({ type: 'INVITE_DELETE', invite });
  };
  await call.write(remove, { streams: [topics.guild(guildId)] });
  return invite;
}

function auditFieldsOf(invite: Invite): AuditChanges['INVITE_DELETE'] {
  const { code, inviterId, maxUses, uses, temporary } = invite;
  return { code, inviterId: String(inviterId), maxAge: maxAgeOf(invite), maxUses, uses, temporary };
}

async function requireRight(call: CallContext, { guildId, channelId, inviterId }: Invite): Promise<void> {
  const { user } = requireUser(call);
  if (!(await call.guilds.member(guildId, user.id))) throw new DomainError('UNKNOWN_INVITE');
  const { permissions } = await accessGuild(call, guildId, 'viewGuild');
  const inChannel = (await permissionsInChannel(call.guilds, guildId, channelId, user.id, call.clock.now())) ?? 0n;
  const mayDelete =
    inviterId === user.id ||
    allows(permissions, GUILD_OPERATIONS.manageInvites) ||
    allows(inChannel, CHANNEL_OPERATIONS.manageInvitesOfChannel);
  if (!mayDelete) throw missingPermissions();
}
