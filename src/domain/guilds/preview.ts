import type { Installation, User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { limits } from '../limits.js';
import { accessGuild } from './access.js';
import { type GuildRecord, WITH_ROLES_AND_EMOJIS } from './record.js';

/** What somebody is shown of a guild who looks at it from outside. */
export interface GuildPreview {
  guild: GuildRecord;
  memberCount: number;
  /** About how many of them are online. */
  presenceCount: number;
}

/**
 * The preview of a guild that the caller is a member of; there is no directory in which others would find it.
 * @throws what `accessGuild` throws
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

/** An application that is installed in a guild, and who installed it. */
export type Integration = Installation & {
  application: { id: bigint; name: string; iconHash: string | null; description: string; bot: User };
  installer: User;
};

/**
 * The first of the applications that are installed in a guild. Needs ManageGuild.
 * @throws what `accessGuild` throws
 */
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
