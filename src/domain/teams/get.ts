import type { Prisma, Team, TeamInvitation, TeamMember, User } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';
import { accessTeam } from './access.js';

/** Members in joining order, and pending invitations. */
export type TeamRecord = Team & {
  members: (TeamMember & { user: User })[];
  invitations: (TeamInvitation & { invitee: User })[];
};

export const WITH_PEOPLE = {
  members: { include: { user: true }, orderBy: [{ joinedAt: 'asc' }, { userId: 'asc' }] },
  invitations: { where: { state: 'PENDING' }, include: { invitee: true }, orderBy: { id: 'asc' } },
} as const satisfies Prisma.TeamInclude;

/** Oldest first. @throws UNAUTHENTICATED */
export async function listTeams(call: CallContext): Promise<TeamRecord[]> {
  const memberships = await call.read.teamMember.findMany({
    where: { userId: requirePerson(call).user.id },
    orderBy: { teamId: 'asc' },
    select: { team: { include: WITH_PEOPLE } },
  });
  return memberships.map(({ team }) => team);
}

/** @throws UNAUTHENTICATED, UNKNOWN_TEAM */
export async function getTeam(call: CallContext, teamId: bigint): Promise<TeamRecord> {
  const { id } = await accessTeam(call, teamId, 'view');
  const team = await call.read.team.findUnique({ where: { id }, include: WITH_PEOPLE });
  if (!team) throw new DomainError('UNKNOWN_TEAM');
  return team;
}

export type TeamPeople = Pick<TeamRecord, 'members' | 'invitations'>;
