import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import type { MemberRecord } from './record.js';

/**
 * Ordered by user id. A bot needs the members intent (Discord's documentation, Guild Resource).
 * @param limit 1,000 at most
 * @throws MISSING_ACCESS and the errors of `accessGuild`
 */
export async function listMembers(
  call: CallContext,
  { guildId, after, limit }: { guildId: bigint; after?: bigint | undefined; limit: number },
): Promise<MemberRecord[]> {
  await accessGuild(call, guildId, 'viewGuild');
  await requireMembersIntent(call);
  return call.guilds.members(guildId, { after }, limit);
}

/**
 * A box has no rows of cloud applications; the cloud checks their intents before it asks the box.
 * @throws MISSING_ACCESS
 */
export async function requireMembersIntent(call: CallContext): Promise<void> {
  const caller = requireUser(call);
  if (caller.kind !== 'bot') return;
  const application = await call.applications.application(caller.applicationId);
  const hasIntent = application ? application.guildMembersIntent : call.boxRoutes.isInBox;
  if (!hasIntent) throw new DomainError('MISSING_ACCESS');
}

/**
 * Matches the beginning of a name, and orders by name.
 * @param limit 1,000 at most
 * @throws the errors of `accessGuild`
 */
export async function findMembers(
  call: CallContext,
  { guildId, query, limit }: { guildId: bigint; query: string; limit: number },
): Promise<MemberRecord[]> {
  await accessGuild(call, guildId, 'viewGuild');
  return call.guilds.searchMembers(guildId, query, limit);
}
