import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import type { MemberRecord } from './record.js';

/**
 * Members of a guild in ascending order of their ids, at most 1,000. Of a bot, its application needs the members intent (Discord's
 * documentation, Guild Resource).
 * @throws MISSING_ACCESS and what `accessGuild` throws
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
 * Of a bot, its application has the members intent; anybody else needs none. A box has no rows of its cloud's applications: what those may
 * the cloud looks at before it asks.
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
 * Members whose username, shown name or nickname begins with `query`, at most 1,000, in the order of those names.
 * @throws what `accessGuild` throws
 */
export async function findMembers(
  call: CallContext,
  { guildId, query, limit }: { guildId: bigint; query: string; limit: number },
): Promise<MemberRecord[]> {
  await accessGuild(call, guildId, 'viewGuild');
  return call.guilds.searchMembers(guildId, query, limit);
}
