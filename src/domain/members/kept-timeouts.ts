import type { Transaction } from '../../infra/database/index.js';
import { overForADay } from '../expiry.js';

export interface MemberKey {
  guildId: bigint;
  userId: bigint;
}

/** A leaving member's timeout applies again if they return. */
export async function keepTimeout(db: Transaction, key: MemberKey, until: Date | null, now: number): Promise<void> {
  if (until === null || until.getTime() <= now) return;
  await db.keptTimeout.upsert({ where: { guildId_userId: key }, create: { ...key, until }, update: { until } });
}

/** @returns null also for an expired timeout */
export async function takeUpTimeout(db: Transaction, key: MemberKey, now: number): Promise<Date | null> {
  const where = { guildId_userId: key };
  const kept = await db.keptTimeout.findUnique({ where, select: { until: true } });
  if (kept === null || kept.until.getTime() <= now) return null;
  await db.keptTimeout.delete({ where, select: { userId: true } });
  return kept.until;
}

export async function removeExpiredTimeouts(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.keptTimeout.deleteMany({ where: { until: overForADay(now) }, limit })).count;
}
