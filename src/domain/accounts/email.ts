import type { Reader, Transaction } from '../../infra/database/index.js';

/** The e-mail address of a person's account, verified or not; null for somebody without an account. */
export async function emailOf(db: Reader | Transaction, userId: bigint): Promise<string | null> {
  const account = await db.authUser.findUnique({ where: { userId }, select: { email: true } });
  return account?.email ?? null;
}
