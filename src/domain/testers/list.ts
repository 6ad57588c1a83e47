import type { Tester, User } from '../../infra/database/index.js';
import { accessApplication } from '../applications/access.js';
import type { CallContext } from '../call.js';

export type TesterRecord = Tester & { user: User };

/** Oldest invitation first. @throws UNAUTHENTICATED, UNKNOWN_APPLICATION */
export async function listTesters(call: CallContext, id: bigint): Promise<TesterRecord[]> {
  const { id: applicationId } = await accessApplication(call, id, 'viewTesters');
  return call.read.tester.findMany({
    where: { applicationId },
    include: { user: true },
    orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
  });
}
