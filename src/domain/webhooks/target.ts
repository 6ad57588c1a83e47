import type { Transaction } from '../../infra/database/index.js';
import { findGuildChannel } from '../channels/find.js';
import { DomainError } from '../errors.js';

/** A channel to which a webhook is directed. */
interface Target {
  guildId: bigint;
  channelId: bigint;
  /** Whether its server is on a box. */
  isOnBox: boolean;
}

/** A server's channel is there as the transaction sees it; one on a box, as it was announced. @throws UNKNOWN_CHANNEL */
export async function requireTarget(db: Transaction, { guildId, channelId, isOnBox }: Target): Promise<void> {
  if (!isOnBox) return void (await findGuildChannel(db, { guildId, channelId }));
  const announced = await db.boxChannel.findFirst({ where: { id: channelId, guildId }, select: { id: true } });
  if (!announced) throw new DomainError('UNKNOWN_CHANNEL');
}
