import type { AuthSession, AuthUser } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';

export interface OwnSession
  extends Pick<AuthSession, 'id' | 'createdAt' | 'updatedAt' | 'expiresAt' | 'ipAddress' | 'userAgent'> {
  current: boolean;
}

export interface SessionOwner {
  userId: bigint;
  /** Token hash of the session of the request. */
  session: string | null;
}

/** Without expired sessions, newest first. */
export async function listSessions({ read, clock }: CallContext, owner: SessionOwner): Promise<OwnSession[]> {
  const rows = await read.authSession.findMany({
    where: { user: { userId: owner.userId }, expiresAt: { gt: new Date(clock.now()) } },
    orderBy: { createdAt: 'desc' },
    take: MAX_LISTED,
  });
  return rows.map(({ token, userId: _account, ...session }) => ({ ...session, current: token === owner.session }));
}

const MAX_LISTED = 1_000;

/**
 * @param which its id, or the hash of its token
 * @throws UNKNOWN_SESSION if it has ended or is another person's
 */
export function endSession(
  call: CallContext,
  userId: bigint,
  which: { id: string } | { token: string },
): Promise<void> {
  return call.write(async ({ db, record }) => {
    const { count } = await db.authSession.deleteMany({ where: { ...which, user: { userId } } });
    if (count === 0) throw new DomainError('UNKNOWN_SESSION');
    record({ type: 'SESSION_ENDED', userId });
  });
}

export function endOwnSessions(call: CallContext, { userId, session }: SessionOwner): Promise<void> {
  return call.write((write) => endSessions(write, userId, session));
}

/** @param kept token hash of the session that stays, if any */
export async function endSessions({ db, record }: Write, userId: bigint, kept: string | null): Promise<void> {
  await db.authSession.deleteMany({ where: { user: { userId }, ...(kept === null ? {} : { token: { not: kept } }) } });
  record({ type: 'SESSION_ENDED', userId });
}

/** Ends all sessions, personal tokens, grants and password links. The transaction must lock the user's stream. */
export async function endAccess(write: Write, { id, userId }: Pick<AuthUser, 'id' | 'userId'>): Promise<void> {
  const { db } = write;
  await db.personalToken.deleteMany({ where: { userId } });
  await db.oAuthGrant.deleteMany({ where: { userId } });
  await db.authVerification.deleteMany({ where: { value: id } });
  await endSessions(write, userId, null);
}
