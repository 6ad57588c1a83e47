import type { AuthSession } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';

/** A session as its owner sees it. */
export interface OwnSession
  extends Pick<AuthSession, 'id' | 'createdAt' | 'updatedAt' | 'expiresAt' | 'ipAddress' | 'userAgent'> {
  /** Whether it is the one that asks. */
  current: boolean;
}

/** Whose sessions, and by which of them. */
export interface SessionOwner {
  userId: bigint;
  /** The hash of the token of the session that asks. */
  session: string | null;
}

/** A person's sessions that are not over, the newest first. */
export async function listSessions({ read, clock }: CallContext, owner: SessionOwner): Promise<OwnSession[]> {
  const rows = await read.authSession.findMany({
    where: { user: { userId: owner.userId }, expiresAt: { gt: new Date(clock.now()) } },
    orderBy: { createdAt: 'desc' },
    take: MAX_LISTED,
  });
  return rows.map(({ token, userId: _account, ...session }) => ({ ...session, current: token === owner.session }));
}

/** How many sessions are listed. */
const MAX_LISTED = 1_000;

/**
 * Ends one session of a person's.
 * @param which its id, or the hash of its token
 * @throws UNKNOWN_SESSION for one that is not theirs, or is over
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

/** Ends a person's sessions, but for the one that asks where that is named. */
export function endOwnSessions(call: CallContext, { userId, session }: SessionOwner): Promise<void> {
  return call.write((write) => endSessions(write, userId, session));
}

/** The same as part of a transaction. @param kept the hash of the token of the session that goes on; null for none */
export async function endSessions({ db, record }: Write, userId: bigint, kept: string | null): Promise<void> {
  await db.authSession.deleteMany({ where: { user: { userId }, ...(kept === null ? {} : { token: { not: kept } }) } });
  record({ type: 'SESSION_ENDED', userId });
}
