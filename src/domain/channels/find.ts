import type { Transaction } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';
import type { GuildChannelAccess } from './access.js';
import { type GuildChannelRecord, WITH_OVERWRITES } from './record.js';

/** @throws UNKNOWN_CHANNEL if it was deleted in the meantime */
export async function findGuildChannel(
  db: Transaction,
  { guildId, channelId }: Pick<GuildChannelAccess, 'guildId' | 'channelId'>,
): Promise<GuildChannelRecord> {
  const channel = await db.channel.findFirst({ where: { id: channelId, guildId }, include: WITH_OVERWRITES });
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  return { ...channel, guildId };
}

/**
 * Locks the channel row until the transaction ends. Changes to other rows of the channel need this lock, so that events
 * follow the order of changes.
 * @throws UNKNOWN_CHANNEL
 */
export async function holdGuildChannel(
  db: Transaction,
  place: Pick<GuildChannelAccess, 'guildId' | 'channelId'>,
): Promise<GuildChannelRecord> {
  await holdChannels(db, place.guildId, [place.channelId]);
  return findGuildChannel(db, place);
}

export async function holdChannels(db: Transaction, guildId: bigint, ids: bigint[]): Promise<void> {
  // An update without changes locks the rows in both databases.
  await db.channel.updateMany({ where: { guildId, id: { in: ids } }, data: { guildId } });
}
