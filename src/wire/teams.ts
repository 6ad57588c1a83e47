import {
  type APITeam,
  type APITeamMember,
  type APIUser,
  TeamMemberMembershipState,
  TeamMemberRole,
  UserFlags,
} from 'discord-api-types/v10';
import type { TeamPerson, TeamRecord } from '../domain/teams/index.js';
import type { TeamMemberRole as Role, User } from '../infra/database/index.js';
import { renderUser } from './users.js';

/** The names of roles on the wire (Discord's documentation, Teams). */
const ROLE_NAMES = {
  ADMIN: TeamMemberRole.Admin,
  DEVELOPER: TeamMemberRole.Developer,
  READ_ONLY: TeamMemberRole.ReadOnly,
} as const satisfies Record<Role, TeamMemberRole>;

/** A team as its applications see it, whose members have all accepted. */
export function renderTeam(team: TeamRecord): APITeam {
  return {
    id: String(team.id),
    name: team.name,
    icon: team.iconHash,
    owner_user_id: String(team.ownerUserId),
    members: renderTeamMembers({ members: team.members, invitations: [] }),
  };
}

/** A team as its members see it, who are told of pending invitations too. */
export function renderOwnTeam(team: TeamRecord): APITeam {
  return { ...renderTeam(team), members: renderTeamMembers(team) };
}

/** Members in the order they joined, then those who are invited. */
export function renderTeamMembers({ members, invitations }: TeamPerson): APITeamMember[] {
  return [
    ...members.map(({ teamId, role, user }) => renderMember(teamId, user, role, TeamMemberMembershipState.Accepted)),
    ...invitations.map(({ teamId, role, invitee }) =>
      renderMember(teamId, invitee, role, TeamMemberMembershipState.Invited),
    ),
  ];
}

/** One of them. */
export function renderTeamMember(person: TeamPerson): APITeamMember | undefined {
  return renderTeamMembers(person)[0];
}

function renderMember(
  teamId: bigint,
  user: User,
  role: Role,
  membershipState: TeamMemberMembershipState,
): APITeamMember {
  return {
    user: renderUser(user),
    team_id: String(teamId),
    membership_state: membershipState,
    role: ROLE_NAMES[role],
    permissions: ['*'],
  };
}

/** The user who stands for a team where the wire wants one. */
export function renderTeamUser({ id }: Pick<TeamRecord, 'id'>): APIUser {
  return {
    id: String(id),
    username: `team${id}`,
    discriminator: '0000',
    global_name: null,
    avatar: null,
    public_flags: UserFlags.TeamPseudoUser,
    flags: UserFlags.TeamPseudoUser,
    primary_guild: null,
  };
}
