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
 * Operators cannot change their own role. Only the machine can take the last one away; the next start then prints a
 * set-up link.
 * @throws NOT_FOUND, UNKNOWN_USER, FORBIDDEN for personal tokens, CONFLICT for the caller
 */
export async function setOperatorRole(call: CallContext, input: OperatorRoleInput): Promise<PersonAccount> {
  await requireOperator(call, 'OPERATOR');
  const callerId = call.actor.kind === 'machine' ? null : requireSession(call).user.id;
  const { personId, role, reason } = input;
  if (personId === callerId) throw new DomainError('CONFLICT', 'Another operator must change your role.');
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
    { streams: [...(callerId === null ? [] : [callerId]), personId].map(topics.user) },
  );
}
