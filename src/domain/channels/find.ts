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
