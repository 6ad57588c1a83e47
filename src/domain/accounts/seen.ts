import type { Transaction } from '../../infra/database/index.js';

/** Accuracy of the time a person was last seen, in milliseconds. */
export const SEEN_BEHIND_MS = 3_600_000;

export function isSeenAgain(seenAt: Date | null, now: number): boolean {
  return seenAt === null || seenAt.getTime() < now - SEEN_BEHIND_MS;
}

export async function noteSeen(db: Pick<Transaction, 'authUser'>, userId: bigint, now: number): Promise<void> {
  const seenAt = new Date(now);
  await db.authUser.updateMany({ where: { userId }, data: { seenAt } });
}
