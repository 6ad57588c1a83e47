import type { Tester } from '../../infra/database/index.js';
import { requireVerifiedEmail } from '../accounts/people.js';
import { unknownApplication } from '../applications/access.js';
import { type CallContext, requirePerson } from '../call.js';

/**
 * Accepts the invitation to test an application: from now on the caller may install it. Of several answers at once, one
 * succeeds.
 * @throws UNAUTHENTICATED, FORBIDDEN for an e-mail address that is not verified, and UNKNOWN_APPLICATION where there is no open
 *   invitation: a private application does not exist for others
 */
export async function acceptTesterInvitation(call: CallContext, applicationId: bigint): Promise<Tester> {
  const { user } = requirePerson(call);
  const userId = user.id;
  return call.write(async ({ db, record, audit }) => {
    await requireVerifiedEmail(db, userId);
    const open = { applicationId, userId, state: 'INVITED' } as const;
    const [tester] = await db.tester.updateManyAndReturn({ where: open, data: { state: 'ACCEPTED' } });
    if (!tester) throw unknownApplication();
    const changes = { state: { old: 'INVITED', new: 'ACCEPTED' } };
    await audit({ action: 'TESTER_ACCEPT', applicationId, targetId: userId, changes });
    record({ type: 'APPLICATION_UPDATED', applicationId });
    record({ type: 'PORTAL_HOME_UPDATED', userId });
    return tester;
  });
}

/**
 * Declines the invitation to test an application, which leaves nothing of it.
 * @throws UNAUTHENTICATED, and UNKNOWN_APPLICATION where there is no open invitation
 */
export async function declineTesterInvitation(call: CallContext, applicationId: bigint): Promise<void> {
  const { user } = requirePerson(call);
  const userId = user.id;
  await call.write(async ({ db, record, audit }) => {
    const { count } = await db.tester.deleteMany({ where: { applicationId, userId, state: 'INVITED' } });
    if (count === 0) throw unknownApplication();
    const changes = { state: { old: 'INVITED', new: null } };
    await audit({ action: 'TESTER_DECLINE', applicationId, targetId: userId, changes });
    record({ type: 'APPLICATION_UPDATED', applicationId });
    record({ type: 'PORTAL_HOME_UPDATED', userId });
  });
}
