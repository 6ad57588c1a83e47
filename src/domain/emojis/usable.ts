import type { Emoji } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { type ChannelAccess, permissionsIn } from '../channels/access.js';
import { allows, Permission } from '../permissions.js';
import { rolesOf } from './record.js';

/**
 * Null if the caller may not use the emoji here. Emojis of other guilds need UseExternalEmojis and membership there.
 * Application emojis are only for their bot. A guild emoji with roles needs one of them.
 */
export async function usableEmoji(call: CallContext, place: ChannelAccess, id: bigint): Promise<Emoji | null> {
  const emoji = await call.read.emoji.findUnique({ where: { id } });
  return emoji && (await mayUse(call, place, emoji)) ? emoji : null;
}

async function mayUse(call: CallContext, place: ChannelAccess, emoji: Emoji): Promise<boolean> {
  const { actor } = call;
  if (emoji.guildId === null) return actor.kind === 'bot' && actor.applicationId === emoji.applicationId;
  const isHere = place.kind === 'guild' && place.guildId === emoji.guildId;
  if (!isHere && !allows(permissionsIn(place), Permission.UseExternalEmojis)) return false;
  const member = await call.guilds.member(emoji.guildId, requireUser(call).user.id);
  if (!member) return false;
  const roles = rolesOf(emoji);
  return roles.length === 0 || roles.some((roleId) => member.roleIds.includes(roleId));
}
