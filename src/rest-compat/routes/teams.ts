import { TeamMemberRole } from 'discord-api-types/v10';
import { z } from 'zod';
import { plainText, snowflake } from '../../domain/input.js';
import {
  createTeam,
  deleteTeam,
  getTeam,
  inviteTeamMember,
  listTeams,
  removeOrRevoke,
  TeamName,
  updateTeam,
  updateTeamMember,
} from '../../domain/teams/index.js';
import { renderOwnTeam, renderTeamInvitation, renderTeamMember, renderTeamMembers } from '../../wire/teams.js';
import { reads, writes } from '../buckets.js';
import { ICON_BODY_BYTES, imageChange, imageData } from '../images.js';
import { CLOUD, route } from '../route.js';
import { ids } from '../schemas.js';

const session = ['session'] as const;

const ROLE_OF = {
  [TeamMemberRole.Admin]: 'ADMIN',
  [TeamMemberRole.Developer]: 'DEVELOPER',
  [TeamMemberRole.ReadOnly]: 'READ_ONLY',
} as const satisfies Record<TeamMemberRole, string>;

const role = z.enum(TeamMemberRole).transform((name) => ROLE_OF[name]);

/** Service description, section 4. */
export const teamRoutes = [
  route({
    method: 'GET',
    path: '/developer-portal/teams',
    summary: "List the user's teams",
    callers: session,
    bucket: reads('teams'),
    where: CLOUD,
    params: z.object({}),
    run: (call) => listTeams(call),
    render: (teams) => teams.map(renderOwnTeam),
  }),
  route({
    method: 'POST',
    path: '/developer-portal/teams',
    summary: 'Create a team',
    callers: session,
    bucket: writes('teams-create'),
    where: CLOUD,
    params: z.object({}),
    body: z.object({ name: TeamName, icon: imageData.nullish() }),
    maxJsonBytes: ICON_BODY_BYTES,
    run: async (call, { body }) => getTeam(call, (await createTeam(call, body)).id),
    render: renderOwnTeam,
  }),
  route({
    method: 'GET',
    path: '/developer-portal/teams/:teamId',
    summary: 'Get a team',
    callers: session,
    bucket: reads('team', 'teamId'),
    where: CLOUD,
    params: ids('teamId'),
    run: (call, { params }) => getTeam(call, params.teamId),
    render: renderOwnTeam,
  }),
  route({
    method: 'PATCH',
    path: '/developer-portal/teams/:teamId',
    summary: 'Edit a team',
    callers: session,
    bucket: writes('team-edit', 'teamId'),
    where: CLOUD,
    params: ids('teamId'),
    body: z.object({
      name: TeamName.nullish(),
      icon: imageChange,
      owner_user_id: snowflake().nullish(),
    }),
    maxJsonBytes: ICON_BODY_BYTES,
    async run(call, { params, body: { owner_user_id: ownerUserId, ...body } }) {
      const { id } = await updateTeam(call, { ...params, ...body, ownerUserId });
      return getTeam(call, id);
    },
    render: renderOwnTeam,
  }),
  route({
    method: 'DELETE',
    path: '/developer-portal/teams/:teamId',
    summary: 'Delete a team',
    description: 'Only a team without applications can be deleted.',
    callers: session,
    bucket: writes('team-delete', 'teamId'),
    where: CLOUD,
    params: ids('teamId'),
    run: (call, { params }) => deleteTeam(call, params.teamId),
  }),
  route({
    method: 'GET',
    path: '/developer-portal/teams/:teamId/members',
    summary: "List a team's members",
    description: 'Includes people whose invitation is pending.',
    callers: session,
    bucket: reads('team-members', 'teamId'),
    where: CLOUD,
    params: ids('teamId'),
    run: (call, { params }) => getTeam(call, params.teamId),
    render: renderTeamMembers,
  }),
  route({
    method: 'POST',
    path: '/developer-portal/teams/:teamId/members',
    summary: 'Invite a team member',
    callers: session,
    bucket: writes('team-members-invite', 'teamId'),
    where: CLOUD,
    params: ids('teamId'),
    body: z.object({ email: plainText(), role }),
    run: (call, { params, body }) => inviteTeamMember(call, { ...params, ...body }),
    render: renderTeamInvitation,
  }),
  route({
    method: 'PATCH',
    path: '/developer-portal/teams/:teamId/members/:userId',
    summary: "Change a team member's role",
    callers: session,
    bucket: writes('team-members-edit', 'teamId'),
    where: CLOUD,
    params: ids('teamId', 'userId'),
    body: z.object({ role }),
    run: (call, { params, body }) => updateTeamMember(call, { ...params, ...body }),
    render: ({ member }) => renderTeamMember(member),
  }),
  route({
    method: 'DELETE',
    path: '/developer-portal/teams/:teamId/members/:userId',
    summary: 'Remove a team member',
    callers: session,
    bucket: writes('team-members-remove', 'teamId'),
    where: CLOUD,
    params: ids('teamId', 'userId'),
    run: (call, { params }) => removeOrRevoke(call, params),
  }),
];
