import type { Transaction } from '../../infra/database/index.js';
import { overForADay } from '../expiry.js';

/** @returns number of removed rows */
export async function removeExpiredPersonalTokens(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.personalToken.deleteMany({ where: { expiresAt: overForADay(now) }, limit })).count;
}
