import { Prisma, type Reader, type Transaction } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';
import { loadLastMessageIds } from './last-messages.js';
import type { GuildPlace } from './place.js';
import { type GuildChannelDetails, type GuildChannelRecord, WITH_OVERWRITES } from './record.js';

/** A guild's channel, as the transaction sees it. @throws UNKNOWN_CHANNEL when it was deleted meanwhile */
export async function findGuildChannel(
  db: Transaction,
  { guildId, channelId }: Pick<GuildPlace, 'guildId' | 'channelId'>,
): Promise<GuildChannelRecord> {
  const channel = await db.channel.findFirst({ where: { id: channelId, guildId }, include: WITH_OVERWRITES });
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  return { ...channel, guildId };
}

/** Channels with their newest messages, which one statement finds for all. */
export async function withLastMessages(
  db: Pick<Reader, '$queryRaw'>,
  channels: readonly GuildChannelRecord[],
): Promise<GuildChannelDetails[]> {
  if (channels.length === 0) return [];
  const ids = Prisma.join(channels.map(({ id }) => id));
  const newest = await loadLastMessageIds(db, Prisma.sql`c."id" IN (${ids})`);
  return channels.map((channel) => ({ channel, lastMessageId: newest.get(channel.id) ?? null }));
}

/** A channel with its newest message. */
export async function withLastMessage(
  db: Pick<Reader, '$queryRaw'>,
  channel: GuildChannelRecord,
): Promise<GuildChannelDetails> {
  const newest = await loadLastMessageIds(db, Prisma.sql`c."id" = ${channel.id}`);
  return { channel, lastMessageId: newest.get(channel.id) ?? null };
}
