import type { Transaction } from '../../infra/database/index.js';
import { overForADay } from '../expiry.js';

/** @returns number of removed rows */
export async function removeExpiredSessions(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.authSession.deleteMany({ where: { expiresAt: overForADay(now) }, limit })).count;
}

/** @returns number of removed rows */
export async function removeExpiredVerifications(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.authVerification.deleteMany({ where: { expiresAt: overForADay(now) }, limit })).count;
}
