import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import type { MemberRecord } from './record.js';

/** @throws UNKNOWN_MEMBER and the errors of `accessGuild` */
export async function getMember(
  call: CallContext,
  { guildId, userId }: { guildId: bigint; userId: bigint },
): Promise<MemberRecord> {
  await accessGuild(call, guildId, 'viewGuild');
  const [member] = await call.guilds.members(guildId, { userIds: [userId] }, 1);
  if (!member) throw new DomainError('UNKNOWN_MEMBER');
  return member;
}

/** @throws the errors of `accessGuild` */
export function getOwnMember(call: CallContext, guildId: bigint): Promise<MemberRecord> {
  return getMember(call, { guildId, userId: requireUser(call).user.id });
}
