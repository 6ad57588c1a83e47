import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import type { MemberSummary } from '../members/record.js';
import { channelPermissions, holderAt } from '../permissions.js';
import type { Person, RunRequest } from './decide.js';

/** A user in a guild channel. May be cached. */
export type Standing = Pick<RunRequest, 'guild' | 'channel' | 'person'>;

/** @throws UNKNOWN_CHANNEL */
export async function standingIn(
  call: CallContext,
  { guildId, channelId }: { guildId: bigint; channelId: bigint },
  userId: bigint,
): Promise<Standing> {
  const [view, member] = await Promise.all([call.guilds.view(guildId), call.guilds.member(guildId, userId)]);
  const channel = view?.channels.get(channelId);
  if (!view || !channel) throw new DomainError('UNKNOWN_CHANNEL');
  const holder = holderAt(call.clock.now(), userId, member);
  const permissions = member ? channelPermissions(view, channel, holder) : 0n;
  return { guild: view, channel, person: personOf(userId, member, permissions) };
}

/** @param permissions in the channel or guild */
export function personOf(id: bigint, member: MemberSummary | null, permissions: bigint): Person {
  return { id, member: member && { roleIds: new Set(member.roleIds), permissions } };
}
