import type { Installation, User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { limits } from '../limits.js';
import { accessGuild } from './access.js';
import { type GuildRecord, WITH_ROLES_AND_EMOJIS } from './record.js';

export interface GuildPreview {
  guild: GuildRecord;
  memberCount: number;
  /** Approximate number of online members. */
  presenceCount: number;
}

/**
 * Members only, because there is no public guild directory.
 * @throws the errors of `accessGuild`
 */
export async function getGuildPreview(call: CallContext, guildId: bigint): Promise<GuildPreview> {
  await accessGuild(call, guildId, 'viewGuild');
  const [guild, online] = await Promise.all([
    call.read.guild.findUnique({ where: { id: guildId }, include: WITH_ROLES_AND_EMOJIS }),
    call.presenceCounts.of([guildId]),
  ]);
  if (!guild) throw new DomainError('UNKNOWN_GUILD');
  return { guild, memberCount: guild.memberCount, presenceCount: online.get(guildId) ?? 0 };
}

export type Integration = Installation & {
  application: { id: bigint; name: string; iconHash: string | null; description: string; bot: User };
  installer: User;
};

/** Oldest first, up to `limits.integrationsShown`. Needs ManageGuild. @throws the errors of `accessGuild` */
export async function listIntegrations(call: CallContext, guildId: bigint): Promise<Integration[]> {
  await accessGuild(call, guildId, 'viewGuildSettings');
  return call.read.installation.findMany({
    where: { guildId },
    include: {
      application: { select: { id: true, name: true, iconHash: true, description: true, bot: true } },
      installer: true,
    },
    orderBy: { id: 'asc' },
    take: limits.integrationsShown,
  });
}
