import type { Prisma, Team, TeamInvitation, TeamMember, User } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';
import { accessTeam } from './access.js';

/** A team with its people: members in the order they joined, and the pending invitations. */
export type TeamRecord = Team & {
  members: (TeamMember & { user: User })[];
  invitations: (TeamInvitation & { invitee: User })[];
};

/** What a {@link TeamRecord} takes to be read. */
export const WITH_PEOPLE = {
  members: { include: { user: true }, orderBy: [{ joinedAt: 'asc' }, { userId: 'asc' }] },
  invitations: { where: { state: 'PENDING' }, include: { invitee: true }, orderBy: { id: 'asc' } },
} as const satisfies Prisma.TeamInclude;

/** The teams the caller is a member of, oldest first. @throws UNAUTHENTICATED */
export async function listTeams(call: CallContext): Promise<TeamRecord[]> {
  const memberships = await call.read.teamMember.findMany({
    where: { userId: requirePerson(call).user.id },
    orderBy: { teamId: 'asc' },
    select: { team: { include: WITH_PEOPLE } },
  });
  return memberships.map(({ team }) => team);
}

/** A team with its people. @throws UNAUTHENTICATED, UNKNOWN_TEAM */
export async function getTeam(call: CallContext, teamId: bigint): Promise<TeamRecord> {
  const { id } = await accessTeam(call, teamId, 'view');
  const team = await call.read.team.findUnique({ where: { id }, include: WITH_PEOPLE });
  if (!team) throw new DomainError('UNKNOWN_TEAM');
  return team;
}

/** Who is in a team, and who is invited to it. */
export type TeamPeople = Pick<TeamRecord, 'members' | 'invitations'>;
