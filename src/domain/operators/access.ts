import type { AuthUser, OperatorRole, Reader, User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';

/** Null without a role, and for personal tokens that were not made for operators. */
export async function operatorRoleOf(
  { actor, read }: Pick<CallContext, 'actor' | 'read'>,
  reader: Pick<Reader, 'authUser'> = read,
): Promise<OperatorRole | null> {
  if (actor.kind === 'machine') return 'OPERATOR';
  if (actor.kind !== 'person' || (actor.personalTokenId !== undefined && !actor.forOperator)) return null;
  const where = { userId: actor.user.id, suspendedAt: null };
  const account = await reader.authUser.findUnique({ where, select: { operatorRole: true } });
  return account?.operatorRole ?? null;
}

/**
 * Everyone else must not learn that there is something.
 * @param needed what MODERATOR may do, operators may, too
 * @param reader a transaction, if the role must still hold at the write
 * @throws NOT_FOUND
 */
export async function requireOperator(
  call: CallContext,
  needed: OperatorRole,
  reader: Pick<Reader, 'authUser'> = call.read,
): Promise<void> {
  const role = await operatorRoleOf(call, reader);
  if (role !== 'OPERATOR' && role !== needed) throw new DomainError('NOT_FOUND');
}

export type PersonAccount = AuthUser & { user: User };

/** @throws UNKNOWN_USER */
export async function findPerson(reader: Pick<Reader, 'authUser'>, userId: bigint): Promise<PersonAccount> {
  const account = await reader.authUser.findUnique({ where: { userId }, include: { user: true } });
  if (!account || account.user.deletedAt !== null) throw new DomainError('UNKNOWN_USER');
  return account;
}

/** Operators and moderators do not act on each other. @throws UNKNOWN_USER, CONFLICT */
export async function findOrdinaryPerson(reader: Pick<Reader, 'authUser'>, userId: bigint): Promise<PersonAccount> {
  const account = await findPerson(reader, userId);
  if (account.operatorRole === null) return account;
  const role = account.operatorRole === 'OPERATOR' ? 'an operator' : 'a moderator';
  const message = `${account.name} is ${role} of this instance. Take the role away first.`;
  throw new DomainError('CONFLICT', message);
}
