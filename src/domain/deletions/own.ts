import { z } from 'zod';
import type { User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { requirePassword } from '../accounts/password.js';
import { type CallContext, requireSession, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { DAY_MS } from '../expiry.js';
import { dropIcon } from '../icons.js';
import { plainText } from '../input.js';
import { DELETIONS_PER_PERSON } from '../limits.js';
import { takeLimit } from '../rate-limits.js';
import { beginDeletion, type Deletable } from './begin.js';
import { scheduledMail } from './mails.js';
import { findOwned, namesOf, type Owned, ownsSomething } from './owned.js';

export const DeleteAccount = z.object({ password: plainText() });

export interface OwnDeletion {
  /** Null if it is not scheduled. */
  deletionAt: Date | null;
  isOperator: boolean;
  owned: Owned;
  /** Number of applications that are deleted with the account. */
  applications: number;
  /** Between the request and the deletion. */
  days: number;
}

/** @throws UNAUTHENTICATED, FORBIDDEN */
export async function getOwnDeletion(call: CallContext): Promise<OwnDeletion> {
  const { id: userId } = requireSession(call).user;
  const [account, owned, applications] = await Promise.all([
    call.read.authUser.findUnique({ where: { userId }, select: { deletionAt: true, operatorRole: true } }),
    findOwned(call.read, userId),
    call.read.application.count({ where: { ownerUserId: userId, deletedAt: null } }),
  ]);
  const isOperator = account?.operatorRole != null;
  return { deletionAt: account?.deletionAt ?? null, isOperator, owned, applications, days: call.accountDeletionDays };
}

/**
 * Schedules the deletion of the caller's account, and mails them. A second call changes nothing.
 * @returns when it is deleted, and whether it already is
 * @throws UNAUTHENTICATED, FORBIDDEN, RATE_LIMITED, INVALID_INPUT for a wrong password, CONFLICT while the caller owns
 * servers, teams or boxes, or is an operator
 */
export async function deleteAccount(
  call: CallContext,
  { password }: z.output<typeof DeleteAccount>,
): Promise<Scheduled> {
  const { user } = requireSession(call);
  await takeAttempt(call, user.id, password);
  const scheduled = await call.write((write) => schedule(call, write, user.id), {
    streams: [topics.user(user.id)],
  });
  if (scheduled.isDeleted && user.avatarHash) {
    await dropIcon(call, { folder: 'avatars', id: user.id }, user.avatarHash);
  }
  return scheduled;
}

async function takeAttempt(call: CallContext, userId: bigint, password: string): Promise<void> {
  const key = String(userId);
  await takeLimit(call, DELETIONS_PER_PERSON, key, (seconds) => `Too many attempts; try again in ${seconds} s.`);
  await requirePassword(call, userId, password);
  await call.limits.giveBack(DELETIONS_PER_PERSON, key);
}

interface Scheduled {
  deletionAt: Date;
  isDeleted: boolean;
}

async function schedule(call: CallContext, write: Write, userId: bigint): Promise<Scheduled> {
  const account = await findAccount(write, userId);
  if (account.deletionAt) return { deletionAt: account.deletionAt, isDeleted: false };
  if (account.operatorRole !== null) {
    const message = 'You are an operator of this instance. Another operator must take the role away first.';
    throw new DomainError('CONFLICT', message);
  }
  const owned = await findOwned(write.db, userId);
  if (ownsSomething(owned)) {
    const message = `You own ${namesOf(owned)}. Hand them over or delete them first.`;
    throw new DomainError('CONFLICT', message);
  }
  const deletionAt = new Date(call.clock.now() + call.accountDeletionDays * DAY_MS);
  if (call.accountDeletionDays === 0) {
    await beginDeletion(call, write, account, { withMessages: false });
    return { deletionAt, isDeleted: true };
  }
  await write.db.authUser.update({ where: { userId }, data: { deletionAt } });
  write.record({ type: 'PERSON_UPDATED', userId });
  write.record({ type: 'PORTAL_HOME_UPDATED', userId });
  write.mail(scheduledMail(call, account, deletionAt));
  return { deletionAt, isDeleted: false };
}

/** Undoes {@link deleteAccount}. @throws UNAUTHENTICATED, FORBIDDEN */
export async function keepAccount(call: CallContext): Promise<User> {
  const { user } = requireSession(call);
  const { id: userId } = user;
  const keep = async (write: Write) => {
    const { deletionAt } = await findAccount(write, userId);
    if (deletionAt === null) return;
    await write.db.authUser.update({ where: { userId }, data: { deletionAt: null } });
    write.record({ type: 'PERSON_UPDATED', userId });
    write.record({ type: 'PORTAL_HOME_UPDATED', userId });
  };
  await call.write(keep, { streams: [topics.user(userId)] });
  return user;
}

/** @throws UNAUTHENTICATED if it was deleted in the meantime */
async function findAccount({ db }: Write, userId: bigint): Promise<Deletable> {
  const account = await db.authUser.findUnique({ where: { userId }, include: { user: true } });
  if (!account) throw new DomainError('UNAUTHENTICATED');
  return account;
}
