import type { Prisma } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { GUILD_OPERATIONS } from '../guild-operations.js';
import { accessGuild, channelsWith } from '../guilds/access.js';
import { allows } from '../permissions.js';
import { stillWorking } from './find.js';

/**
 * The invites of a guild that the caller may take back: all with ManageGuild, otherwise their own and those to channels where
 * they have ManageChannels.
 * @throws what `accessGuild` throws
 */
export async function manageableInvites(call: CallContext, guildId: bigint): Promise<Prisma.InviteWhereInput> {
  const { user } = requireUser(call);
  const access = await accessGuild(call, guildId, 'viewGuild');
  const working = { guildId, AND: stillWorking(call.clock.now()) };
  if (allows(access.permissions, GUILD_OPERATIONS.manageInvites)) return working;
  const channelIds = channelsWith(access, user.id, 'manageInvitesOfChannel');
  return { ...working, OR: [{ inviterId: user.id }, { channelId: { in: [...channelIds] } }] };
}
