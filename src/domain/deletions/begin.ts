import type { AuthUser, User } from '../../infra/database/index.js';
import { endAccess } from '../accounts/sessions.js';
import type { CallContext, Write } from '../call.js';

/** Key of the job that removes the rest. */
export const deletionKey = (personId: bigint) => `delete-person:${personId}`;

/** Username of deleted people. */
export const DELETED_NAME = 'Deleted User';

export type Deletable = AuthUser & { user: User };

/**
 * Ends every access of the person and removes account and names; a job removes the rest. The transaction must lock the
 * person's stream.
 */
export async function beginDeletion(
  call: CallContext,
  write: Write,
  person: Deletable,
  { withMessages }: { withMessages: boolean },
): Promise<void> {
  const { db, record, addJob } = write;
  const { userId } = person;
  const names = await namesOfPerson(write, person);
  await endAccess(write, person);
  await leaveTeams(write, userId);
  await db.authUser.delete({ where: { userId }, select: { id: true } });
  const nameless = { username: DELETED_NAME, handle: null, globalName: null, avatarHash: null };
  const now = call.clock.now();
  await db.user.update({ where: { id: userId }, data: { ...nameless, deletedAt: new Date(now) } });
  record({ type: 'SUSPENDED', userId });
  record({ type: 'PERSON_UPDATED', userId });
  const payload = { personId: String(userId), names, email: person.email, withMessages, isSweep: false };
  await addJob({ kind: 'delete-person', key: deletionKey(userId), payload, dueAt: now });
}

async function namesOfPerson({ db }: Write, { userId, user }: Deletable): Promise<string[]> {
  const where = { userId, nick: { not: null } };
  const members = await db.member.findMany({ where, select: { nick: true } });
  const names = [user.username, user.globalName, user.avatarHash, ...members.map(({ nick }) => nick)];
  return [...new Set(names)].filter((name) => name !== null);
}

/** Without the person's own teams, so that no one can make the person the owner of another. */
async function leaveTeams({ db, record }: Write, userId: bigint): Promise<void> {
  const where = { userId, team: { ownerUserId: { not: userId } } };
  const memberships = await db.teamMember.findMany({ where, select: { teamId: true } });
  await db.teamMember.deleteMany({ where });
  for (const { teamId } of memberships) record({ type: 'TEAM_UPDATED', teamId });
}
