import type { Transaction } from '../../infra/database/index.js';
import { overForADay } from '../expiry.js';

/** Removes sessions that ended a day ago, as many as `limit` at most. @returns how many */
export async function removeExpiredSessions(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.authSession.deleteMany({ where: { expiresAt: overForADay(now) }, limit })).count;
}

/** Removes what verifies nothing any more, a day after it ended, as much as `limit` at most. @returns how many rows */
export async function removeExpiredVerifications(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.authVerification.deleteMany({ where: { expiresAt: overForADay(now) }, limit })).count;
}
