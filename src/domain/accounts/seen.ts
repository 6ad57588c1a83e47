import type { Transaction } from '../../infra/database/index.js';

/** How far behind it may be when somebody was last here, in milliseconds. */
export const SEEN_BEHIND_MS = 3_600_000;

/** Whether it has to be noted that somebody is here, who was last here at `seenAt`; null for not known. */
export function isSeenAgain(seenAt: Date | null, now: number): boolean {
  return seenAt === null || seenAt.getTime() < now - SEEN_BEHIND_MS;
}

/** Notes that somebody with an account is here. */
export async function noteSeen(db: Pick<Transaction, 'authUser'>, userId: bigint, now: number): Promise<void> {
  const seenAt = new Date(now);
  await db.authUser.updateMany({ where: { userId }, data: { seenAt } });
}
