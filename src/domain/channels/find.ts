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
