import type { Transaction } from '../../infra/database/index.js';
import { overForADay } from '../expiry.js';

/** Removes invites that ended a day ago, as many as `limit` at most. Nobody is told (decisions 110). @returns how many */
export async function removeExpiredInvites(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.invite.deleteMany({ where: { expiresAt: overForADay(now) }, limit })).count;
}
