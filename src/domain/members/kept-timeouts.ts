import type { Transaction } from '../../infra/database/index.js';
import { overForADay } from '../expiry.js';

export interface MemberKey {
  guildId: bigint;
  userId: bigint;
}

/** Keeps the timeout of somebody whose membership ends, unless it is over. */
export async function keepTimeout(db: Transaction, key: MemberKey, until: Date | null, now: number): Promise<void> {
  if (until === null || until.getTime() <= now) return;
  await db.keptTimeout.upsert({ where: { guildId_userId: key }, create: { ...key, until }, update: { until } });
}

/** Takes up the timeout that somebody left with. @returns until when it lasts, or null where there is none that is not over */
export async function takeUpTimeout(db: Transaction, key: MemberKey, now: number): Promise<Date | null> {
  const where = { guildId_userId: key };
  const kept = await db.keptTimeout.findUnique({ where, select: { until: true } });
  if (kept === null || kept.until.getTime() <= now) return null;
  await db.keptTimeout.delete({ where, select: { userId: true } });
  return kept.until;
}

/** Removes kept timeouts that ended a day ago, as many as `limit` at most. @returns how many */
export async function removeExpiredTimeouts(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.keptTimeout.deleteMany({ where: { until: overForADay(now) }, limit })).count;
}
