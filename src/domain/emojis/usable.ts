import type { Emoji } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { type Place, permissionsIn } from '../channels/place.js';
import { allows, Permission } from '../permissions.js';
import { rolesOf } from './record.js';

/**
 * An emoji that the caller may use in a place: one of the guild's own, one of another guild that they are a member of where they may use
 * external emojis, or one of their own application. Of one that is for some roles, they need one of them. Null for any other.
 */
export async function usableEmoji(call: CallContext, place: Place, id: bigint): Promise<Emoji | null> {
  const emoji = await call.read.emoji.findUnique({ where: { id } });
  return emoji && (await mayUse(call, place, emoji)) ? emoji : null;
}

async function mayUse(call: CallContext, place: Place, emoji: Emoji): Promise<boolean> {
  const { actor } = call;
  if (emoji.guildId === null) return actor.kind === 'bot' && actor.applicationId === emoji.applicationId;
  const isHere = place.kind === 'guild' && place.guildId === emoji.guildId;
  if (!isHere && !allows(permissionsIn(place), Permission.UseExternalEmojis)) return false;
  const member = await call.guilds.member(emoji.guildId, requireUser(call).user.id);
  if (!member) return false;
  const roles = rolesOf(emoji);
  return roles.length === 0 || roles.some((roleId) => member.roleIds.includes(roleId));
}
