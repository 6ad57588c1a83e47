import { topics } from '../../infra/streams/topics.js';
import { accessApplication } from '../applications/access.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';

export interface RemoveTesterInput {
  applicationId: bigint;
  userId: bigint;
}

/**
 * The tester's tokens and installations stay.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, UNKNOWN_USER for an unlisted user
 */
export async function removeTester(call: CallContext, input: RemoveTesterInput): Promise<void> {
  await call.write((write) => remove(call, write, input), {
    streams: [topics.application(input.applicationId), topics.user(input.userId)],
  });
}

async function remove(call: CallContext, write: Write, { applicationId, userId }: RemoveTesterInput): Promise<void> {
  const { db, record, audit } = write;
  await accessApplication(call, applicationId, 'manageTesters', db);
  const where = { applicationId_userId: { applicationId, userId } };
  const tester = await db.tester.findUnique({ where });
  if (!tester) throw new DomainError('UNKNOWN_USER');
  await db.tester.delete({ where });
  const changes = { state: { old: tester.state, new: null } };
  await audit({ action: 'TESTER_REMOVE', applicationId, targetId: userId, changes });
  record({ type: 'TESTERS_UPDATED', applicationId });
  record({ type: 'PORTAL_HOME_UPDATED', userId });
}
