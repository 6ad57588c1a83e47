import type { Reader, Team, TeamMember } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { IdPage } from '../id-page.js';
import { mayWithTeam, type PortalRole, type TeamOperation } from '../portal-permissions.js';

type TeamReader = Pick<Reader, 'team'>;

export const OWNER_STAYS =
  'The owner of a team cannot leave, be removed or get another role. Transfer ownership first.';

/** Only the team row names the owner. */
export function roleInTeam(team: Pick<Team, 'ownerUserId'>, member: Pick<TeamMember, 'userId' | 'role'>): PortalRole {
  return member.userId === team.ownerUserId ? 'OWNER' : member.role;
}

/** Ordered by id. @throws UNAUTHENTICATED */
export async function ownTeamIds(call: CallContext, { after, take }: IdPage): Promise<bigint[]> {
  const memberships = await call.read.teamMember.findMany({
    where: { userId: requirePerson(call).user.id, teamId: { gt: after } },
    orderBy: { teamId: 'asc' },
    take,
    select: { teamId: true },
  });
  return memberships.map(({ teamId }) => teamId);
}

/**
 * @param read a transaction, if the check must hold until the commit
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM unless the caller is a member, MISSING_PERMISSIONS
 */
export async function accessTeam(
  call: CallContext,
  teamId: bigint,
  operation: TeamOperation,
  read: TeamReader = call.read,
): Promise<Team> {
  const { user } = requirePerson(call);
  const found = await read.team.findUnique({
    where: { id: teamId },
    include: { members: { where: { userId: user.id } } },
  });
  if (!found) throw new DomainError('UNKNOWN_TEAM');
  const { members, ...team } = found;
  const [member] = members;
  if (!member) throw new DomainError('UNKNOWN_TEAM');
  if (!mayWithTeam(roleInTeam(team, member), operation)) {
    throw missingPermissions(operation === 'leave' ? OWNER_STAYS : undefined);
  }
  return team;
}

/** Omits teams without the caller. */
export async function ownTeamRoles(
  call: CallContext,
  teamIds: readonly bigint[],
  read: TeamReader = call.read,
): Promise<Map<bigint, PortalRole>> {
  if (call.actor.kind !== 'person') return new Map();
  const teams = await read.team.findMany({
    where: { id: { in: [...teamIds] } },
    select: { id: true, ownerUserId: true, members: { where: { userId: call.actor.user.id } } },
  });
  return new Map(teams.flatMap((team) => team.members.map((member) => [team.id, roleInTeam(team, member)])));
}

export async function ownTeamRole(call: CallContext, teamId: bigint, read?: TeamReader): Promise<PortalRole | null> {
  return (await ownTeamRoles(call, [teamId], read)).get(teamId) ?? null;
}
