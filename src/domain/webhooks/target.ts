import type { Transaction } from '../../infra/database/index.js';
import { findGuildChannel } from '../channels/find.js';
import { DomainError } from '../errors.js';

interface Target {
  guildId: bigint;
  channelId: bigint;
  isOnBox: boolean;
}

/** If the guild is on a box, the box must have announced the channel. @throws UNKNOWN_CHANNEL */
export async function requireTarget(db: Transaction, { guildId, channelId, isOnBox }: Target): Promise<void> {
  if (!isOnBox) return void (await findGuildChannel(db, { guildId, channelId }));
  const announced = await db.boxChannel.findFirst({ where: { id: channelId, guildId }, select: { id: true } });
  if (!announced) throw new DomainError('UNKNOWN_CHANNEL');
}
