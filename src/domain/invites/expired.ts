import type { Transaction } from '../../infra/database/index.js';
import { overForADay } from '../expiry.js';

/**
 * Removes at most `limit` invites that expired a day ago. Publishes no event, since INVITE_CREATE announced the expiry.
 * @returns how many
 */
export async function removeExpiredInvites(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.invite.deleteMany({ where: { expiresAt: overForADay(now) }, limit })).count;
}
