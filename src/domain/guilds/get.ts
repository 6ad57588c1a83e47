import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from './access.js';
import { type GuildRecord, WITH_ROLES_AND_EMOJIS } from './record.js';

export interface GuildDetails {
  guild: GuildRecord;
  /** Null unless it was asked for. */
  memberCount: number | null;
  /** About how many of them are online; null unless it was asked for. */
  presenceCount: number | null;
}

/**
 * A guild the caller is a member of, with its roles and emojis.
 * @throws UNKNOWN_GUILD, MISSING_ACCESS
 */
export async function getGuild(
  call: CallContext,
  input: { guildId: bigint; withCounts?: boolean },
): Promise<GuildDetails> {
  const { guildId } = await accessGuild(call, input.guildId, 'viewGuild');
  const [guild, online] = await Promise.all([
    call.read.guild.findUnique({ where: { id: guildId }, include: WITH_ROLES_AND_EMOJIS }),
    input.withCounts ? call.presenceCounts.of([guildId]) : null,
  ]);
  if (!guild) throw new DomainError('UNKNOWN_GUILD');
  return {
    guild,
    memberCount: input.withCounts ? guild.memberCount : null,
    presenceCount: online?.get(guildId) ?? null,
  };
}
