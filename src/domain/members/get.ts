import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import type { MemberRecord } from './record.js';

/** A member of a guild that the caller is a member of. @throws UNKNOWN_MEMBER and what `accessGuild` throws */
export async function getMember(
  call: CallContext,
  { guildId, userId }: { guildId: bigint; userId: bigint },
): Promise<MemberRecord> {
  await accessGuild(call, guildId, 'viewGuild');
  const [member] = await call.guilds.members(guildId, { userIds: [userId] }, 1);
  if (!member) throw new DomainError('UNKNOWN_MEMBER');
  return member;
}

/** The caller as a member. @throws what `accessGuild` throws */
export function getOwnMember(call: CallContext, guildId: bigint): Promise<MemberRecord> {
  return getMember(call, { guildId, userId: requireUser(call).user.id });
}
