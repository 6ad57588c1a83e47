import type { Reader } from '../../infra/database/index.js';

export async function isAcceptedTester(read: Reader, applicationId: bigint, userId: bigint): Promise<boolean> {
  const where = { applicationId_userId: { applicationId, userId }, state: 'ACCEPTED' as const };
  return (await read.tester.findUnique({ where, select: { userId: true } })) !== null;
}
