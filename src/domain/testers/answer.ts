import type { Tester, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { requireVerifiedEmail } from '../accounts/people.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError } from '../errors.js';

/**
 * One of several concurrent responses succeeds.
 * @throws UNAUTHENTICATED, FORBIDDEN without a verified e-mail address, CONFLICT if it was accepted before,
 * UNKNOWN_APPLICATION without an invitation, since a private application is hidden
 */
export async function acceptTesterInvitation(call: CallContext, applicationId: bigint): Promise<Tester> {
  const { user } = requirePerson(call);
  const userId = user.id;
  const accept = async ({ db, record, audit }: Write) => {
    await requireVerifiedEmail(db, userId);
    const open = { applicationId, userId, state: 'INVITED' } as const;
    const [tester] = await db.tester.updateManyAndReturn({ where: open, data: { state: 'ACCEPTED' } });
    if (!tester) throw await nothingToAnswer(db, applicationId, userId);
    const changes = { state: { old: 'INVITED', new: 'ACCEPTED' } } as const;
    await audit({ action: 'TESTER_ACCEPT', applicationId, targetId: userId, changes });
    record({ type: 'TESTERS_UPDATED', applicationId });
    record({ type: 'PORTAL_HOME_UPDATED', userId });
    return tester;
  };
  return call.write(accept, { streams: [topics.application(applicationId), topics.user(userId)] });
}

/** @throws UNAUTHENTICATED, CONFLICT if it was accepted, UNKNOWN_APPLICATION without an invitation */
export async function declineTesterInvitation(call: CallContext, applicationId: bigint): Promise<void> {
  const { user } = requirePerson(call);
  const userId = user.id;
  const decline = async ({ db, record, audit }: Write) => {
    const { count } = await db.tester.deleteMany({ where: { applicationId, userId, state: 'INVITED' } });
    if (count === 0) throw await nothingToAnswer(db, applicationId, userId);
    const changes = { state: { old: 'INVITED', new: null } } as const;
    await audit({ action: 'TESTER_DECLINE', applicationId, targetId: userId, changes });
    record({ type: 'TESTERS_UPDATED', applicationId });
    record({ type: 'PORTAL_HOME_UPDATED', userId });
  };
  await call.write(decline, { streams: [topics.application(applicationId), topics.user(userId)] });
}

async function nothingToAnswer(db: Transaction, applicationId: bigint, userId: bigint): Promise<DomainError> {
  const listed = await db.tester.findUnique({ where: { applicationId_userId: { applicationId, userId } } });
  return listed
    ? new DomainError('CONFLICT', 'This invitation is no longer pending.')
    : new DomainError('UNKNOWN_APPLICATION');
}
