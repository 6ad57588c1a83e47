import type { OperatorRole } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireSession } from '../call.js';
import { DomainError } from '../errors.js';
import { findPerson, type PersonAccount, requireOperator } from './access.js';

/** With operators before moderators. @throws NOT_FOUND */
export async function listOperators(call: CallContext): Promise<PersonAccount[]> {
  await requireOperator(call, 'OPERATOR');
  const accounts = await call.read.authUser.findMany({
    where: { operatorRole: { not: null } },
    orderBy: { userId: 'asc' },
    include: { user: true },
  });
  return accounts.sort((a, b) => Number(a.operatorRole === 'MODERATOR') - Number(b.operatorRole === 'MODERATOR'));
}

export interface OperatorRoleInput {
  personId: bigint;
  role: OperatorRole | null;
  reason: string;
}

/**
 * Operators cannot change their own role, so that there is always one.
 * @throws NOT_FOUND, UNKNOWN_USER, CONFLICT for the caller
 */
export async function setOperatorRole(call: CallContext, input: OperatorRoleInput): Promise<PersonAccount> {
  await requireOperator(call, 'OPERATOR');
  const { id } = requireSession(call).user;
  const { personId, role, reason } = input;
  if (personId === id) throw new DomainError('CONFLICT', 'Another operator must change your role.');
  return call.because(reason).write(
    async ({ db, audit, record }) => {
      // Locked, the caller's own role stays until the commit.
      await requireOperator(call, 'OPERATOR', db);
      const before = await findPerson(db, personId);
      if (before.operatorRole === role) return before;
      const account = await db.authUser.update({
        where: { userId: personId },
        data: { operatorRole: role },
        include: { user: true },
      });
      await audit({
        action: 'OPERATOR_UPDATE',
        targetId: personId,
        changes: { role: { old: before.operatorRole, new: role } },
      });
      record({ type: 'PORTAL_HOME_UPDATED', userId: personId });
      return account;
    },
    { streams: [topics.user(id), topics.user(personId)] },
  );
}
