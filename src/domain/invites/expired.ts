import type { Transaction } from '../../infra/database/index.js';
import { overForADay } from '../expiry.js';

/** Removes invites a day after they expire. Publishes no event, because INVITE_CREATE announced the expiry. */
export async function removeExpiredInvites(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.invite.deleteMany({ where: { expiresAt: overForADay(now) }, limit })).count;
}
