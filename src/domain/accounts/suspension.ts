import type { CallContext } from '../call.js';

/** The operator's text to a suspended person; null if they are not suspended. */
export async function findSuspension({ read }: Pick<CallContext, 'read'>, userId: bigint): Promise<string | null> {
  const where = { userId, suspendedAt: { not: null } };
  const account = await read.authUser.findUnique({ where, select: { suspensionText: true } });
  return account && (account.suspensionText ?? '');
}
