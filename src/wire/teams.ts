import {
  type APITeam,
  type APITeamMember,
  type APIUser,
  TeamMemberMembershipState,
  TeamMemberRole,
  UserFlags,
} from 'discord-api-types/v10';
import type { TeamPeople, TeamRecord } from '../domain/teams/index.js';
import type { TeamMemberRole as Role, User } from '../infra/database/index.js';
import { renderUser } from './users.js';

/** See Discord's documentation, Teams. */
const ROLE_NAMES = {
  ADMIN: TeamMemberRole.Admin,
  DEVELOPER: TeamMemberRole.Developer,
  READ_ONLY: TeamMemberRole.ReadOnly,
} as const satisfies Record<Role, TeamMemberRole>;

/** The form for applications, with accepted members only. */
export function renderTeam(team: TeamRecord): APITeam {
  return {
    id: String(team.id),
    name: team.name,
    icon: team.iconHash,
    owner_user_id: String(team.ownerUserId),
    members: renderTeamMembers({ members: team.members, invitations: [] }),
  };
}

/** The form for members, with pending invitations. */
export function renderOwnTeam(team: TeamRecord): APITeam {
  return { ...renderTeam(team), members: renderTeamMembers(team) };
}

/** Members in the order in which they joined, then invitations. */
export function renderTeamMembers({ members, invitations }: TeamPeople): APITeamMember[] {
  return [...members.map(renderTeamMember), ...invitations.map(renderTeamInvitation)];
}

export function renderTeamMember({ teamId, user, role }: TeamPeople['members'][number]): APITeamMember {
  return renderMember(teamId, user, role, TeamMemberMembershipState.Accepted);
}

export function renderTeamInvitation({ teamId, invitee, role }: TeamPeople['invitations'][number]): APITeamMember {
  return renderMember(teamId, invitee, role, TeamMemberMembershipState.Invited);
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

/** The pseudo user of a team, for fields that require a user. */
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
