import type { Reader, Team, TeamMember } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { IdPage } from '../id-page.js';
import { mayWithTeam, type PortalRole, type TeamOperation } from '../portal-permissions.js';

/** What reading a team takes: the reading door, or a transaction. */
type TeamReader = Pick<Reader, 'team'>;

/** What is said to whoever would leave a team without an owner. */
export const OWNER_STAYS = 'The owner of a team stays until they hand it over.';

/** The role of a member, of whom the owner is told by the team alone. */
export function roleInTeam(team: Pick<Team, 'ownerUserId'>, member: Pick<TeamMember, 'userId' | 'role'>): PortalRole {
  return member.userId === team.ownerUserId ? 'OWNER' : member.role;
}

/** Ids of the teams that the caller is a member of, in ascending order. @throws UNAUTHENTICATED */
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
 * A team with which the caller may do `operation`.
 * @param read the transaction, where the answer must still hold when it is written
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM for one that is missing or that the caller is no member of, and MISSING_PERMISSIONS for
 *   a member whose role does not allow it
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

/** The roles the caller has, by team; a team they are no member of is left out. */
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

/** The caller's role in a team, or null for somebody who is no member. */
export async function ownTeamRole(call: CallContext, teamId: bigint, read?: TeamReader): Promise<PortalRole | null> {
  return (await ownTeamRoles(call, [teamId], read)).get(teamId) ?? null;
}
