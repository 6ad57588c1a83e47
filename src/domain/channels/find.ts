import type { Transaction } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';
import type { GuildPlace } from './place.js';
import { type GuildChannelRecord, WITH_OVERWRITES } from './record.js';

/** A guild's channel, as the transaction sees it. @throws UNKNOWN_CHANNEL when it was deleted meanwhile */
export async function findGuildChannel(
  db: Transaction,
  { guildId, channelId }: Pick<GuildPlace, 'guildId' | 'channelId'>,
): Promise<GuildChannelRecord> {
  const channel = await db.channel.findFirst({ where: { id: channelId, guildId }, include: WITH_OVERWRITES });
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  return { ...channel, guildId };
}

/**
 * The same, which stays as it is until the transaction ends, for who changes what stands in other rows of it: clients are told of a channel whole,
 * in the order in which it changed (decisions 211).
 * @throws UNKNOWN_CHANNEL
 */
export async function holdGuildChannel(
  db: Transaction,
  place: Pick<GuildPlace, 'guildId' | 'channelId'>,
): Promise<GuildChannelRecord> {
  await holdChannels(db, place.guildId, [place.channelId]);
  return findGuildChannel(db, place);
}

/** Channels of a guild stay as they are until the transaction ends. @param ids as many as a guild may have */
export async function holdChannels(db: Transaction, guildId: bigint, ids: bigint[]): Promise<void> {
  // A change that changes nothing locks the rows in both databases.
  await db.channel.updateMany({ where: { guildId, id: { in: ids } }, data: { guildId } });
}
