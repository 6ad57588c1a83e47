import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { findInvite } from './find.js';
import type { InviteRecord } from './record.js';

export interface InviteDetails {
  invite: InviteRecord;
  /** Null unless requested. */
  memberCount: number | null;
  /** Approximate number of online members. Null unless requested. */
  presenceCount: number | null;
}

/** Needs no membership. @throws UNKNOWN_INVITE */
export async function getInvite(
  call: CallContext,
  { code, withCounts = false }: { code: string; withCounts?: boolean },
): Promise<InviteDetails> {
  const invite = await findInvite(call.read, call.clock.now(), code);
  if (!invite) throw new DomainError('UNKNOWN_INVITE');
  if (!withCounts) return { invite, memberCount: null, presenceCount: null };
  const { guildId } = invite;
  const [memberCount, online] = await Promise.all([
    call.guilds.countMembers(guildId),
    call.presenceCounts.of([guildId]),
  ]);
  return { invite, memberCount, presenceCount: online.get(guildId) ?? 0 };
}
