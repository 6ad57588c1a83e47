import { Prisma, type Reader } from '../../infra/database/index.js';
import { loadLastMessageIds } from '../channels/last-messages.js';
import { type ChannelRecord, WITH_OVERWRITES } from '../channels/record.js';
import { type GuildRecord, WITH_ROLES_AND_EMOJIS } from './record.js';

/** A client's initial state of a guild, without members. */
export interface GuildSnapshot {
  guild: GuildRecord;
  channels: ChannelRecord[];
  /** By channel id. Ignores ephemeral messages. */
  lastMessageIds: ReadonlyMap<bigint, bigint>;
  memberCount: number;
}

export async function loadGuildSnapshot(reader: Reader, guildId: bigint): Promise<GuildSnapshot | null> {
  const [guild, channels, lastMessageIds] = await Promise.all([
    reader.guild.findUnique({ where: { id: guildId, deletedAt: null }, include: WITH_ROLES_AND_EMOJIS }),
    reader.channel.findMany({ where: { guildId }, include: WITH_OVERWRITES, orderBy: { position: 'asc' } }),
    loadLastMessageIds(reader, Prisma.sql`c."guildId" = ${guildId}`),
  ]);
  return guild && { guild, channels, lastMessageIds, memberCount: guild.memberCount };
}

export async function countMembers(reader: Reader, guildId: bigint): Promise<number> {
  const where = { id: guildId, deletedAt: null };
  const guild = await reader.guild.findUnique({ where, select: { memberCount: true } });
  return guild?.memberCount ?? 0;
}
