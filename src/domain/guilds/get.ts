import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from './access.js';
import { type GuildRecord, WITH_ROLES_AND_EMOJIS } from './record.js';

export interface GuildDetails {
  guild: GuildRecord;
  /** Null unless requested. */
  memberCount: number | null;
  /** Approximate number of online members. Null unless requested. */
  presenceCount: number | null;
}

/** @throws UNKNOWN_GUILD, MISSING_ACCESS */
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
