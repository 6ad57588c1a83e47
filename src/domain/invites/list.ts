import type { Prisma } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { GUILD_OPERATIONS } from '../guild-operations.js';
import { accessGuild, accessGuildChannel, channelsWith, requirePermissions } from '../guilds/access.js';
import { limits } from '../limits.js';
import { allows } from '../permissions.js';
import { stillWorking } from './find.js';
import { type InviteRecord, WITH_PLACE } from './record.js';

/**
 * Callers without ManageGuild get only their own, and those of channels where they have ManageChannels.
 * @throws the errors of `accessGuild`
 */
export async function manageableInvites(call: CallContext, guildId: bigint): Promise<Prisma.InviteWhereInput> {
  const { user } = requireUser(call);
  const access = await accessGuild(call, guildId, 'viewGuild');
  const working = { guildId, AND: stillWorking(call.clock.now()) };
  if (allows(access.permissions, GUILD_OPERATIONS.manageInvites)) return working;
  const channelIds = channelsWith(access, user.id, 'manageInvitesOfChannel');
  return { ...working, OR: [{ inviterId: user.id }, { channelId: { in: [...channelIds] } }] };
}

export interface GuildInvites {
  invites: InviteRecord[];
  /** Whether the caller may see how the invites were created and used. */
  withMetadata: boolean;
}

/**
 * Oldest first. Needs ManageGuild, or ViewAuditLog to see them without metadata.
 * @throws the errors of `accessGuild`
 */
export async function listGuildInvites(call: CallContext, guildId: bigint): Promise<GuildInvites> {
  const { permissions } = await accessGuild(call, guildId, 'viewGuild');
  const withMetadata = allows(permissions, GUILD_OPERATIONS.manageInvites);
  if (!withMetadata) requirePermissions(permissions, GUILD_OPERATIONS.viewAuditLog);
  return { invites: await listWorking(call, { guildId }), withMetadata };
}

/** Oldest first. Needs ManageChannels in the channel. @throws the errors of `accessGuildChannel` */
export async function listChannelInvites(call: CallContext, id: bigint): Promise<InviteRecord[]> {
  const { channelId } = await accessGuildChannel(call, id, 'manageInvitesOfChannel');
  return listWorking(call, { channelId });
}

/** Not paged: a guild has at most {@link limits.invitesPerGuild} invites. */
function listWorking(call: CallContext, where: Prisma.InviteWhereInput): Promise<InviteRecord[]> {
  return call.read.invite.findMany({
    where: { ...where, AND: stillWorking(call.clock.now()) },
    include: WITH_PLACE,
    orderBy: [{ createdAt: 'asc' }, { code: 'asc' }],
    take: limits.invitesPerGuild,
  });
}
