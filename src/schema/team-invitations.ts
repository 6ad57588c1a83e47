import { queryFromInfo } from '@pothos/plugin-prisma';
import { z } from 'zod';
import { DomainError } from '../domain/errors.js';
import { plainText } from '../domain/input.js';
import { parseInput } from '../domain/parse-input.js';
import {
  acceptTeamInvitation,
  declineTeamInvitation,
  GivenRole,
  inviteTeamMember,
  revokeTeamInvitation,
} from '../domain/teams/index.js';
import type { TeamInvitation as TeamInvitationRow } from '../infra/database/index.js';
import { TeamRole } from './applications.js';
import { builder, inputOf } from './builder.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { childLists } from './lists.js';
import { callerMayWithTeam } from './own-roles.js';
import { MAX_PAGE } from './page.js';
import { Team } from './teams.js';

const InvitationState = builder.enumType('InvitationState', {
  description: 'State of a team invitation.',
  values: {
    PENDING: { description: 'The invited person has not answered.' },
    ACCEPTED: { description: 'The invited person joined the team.' },
    DECLINED: { description: 'The invited person declined.' },
    REVOKED: { description: 'The team revoked the invitation before it was answered.' },
  },
});

/** Drops invitations to a team that was deleted during the read: separate statements read rows and their relations. */
export function withTheirTeams<Invitation extends object>(invitations: Invitation[]): Invitation[] {
  return invitations.filter((invitation) => !('team' in invitation) || invitation.team !== null);
}

export const TeamInvitation = builder.prismaObject('TeamInvitation', {
  description: 'An invitation to join a team.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    team: t.relation('team', {
      description: 'The team to join.',
      resolve: async (query, { teamId }, _args, { call }) => {
        const team = await call.read.team.findUnique({ ...query, where: { id: teamId } });
        if (!team) throw new DomainError('UNKNOWN_TEAM');
        return team;
      },
    }),
    invitee: t.relation('invitee', {
      description: 'The invited person.',
      resolve: (query, { inviteeId }, _args, { call }) =>
        call.read.user.findUniqueOrThrow({ ...query, where: { id: inviteeId } }),
    }),
    inviter: t.relation('inviter', {
      description: 'Person who sent the invitation.',
      resolve: (query, { inviterId }, _args, { call }) =>
        call.read.user.findUniqueOrThrow({ ...query, where: { id: inviterId } }),
    }),
    role: t.expose('role', { type: TeamRole, description: 'Role in the team after joining.' }),
    state: t.expose('state', {
      type: InvitationState,
      description: 'Whether the invitation is pending, answered or revoked.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the invitation.' }),
  }),
});

builder.prismaObjectFields(Team, (t) => ({
  invitations: t.field({
    type: [TeamInvitation],
    description: `The newest ${MAX_PAGE} invitations, oldest first.`,
    args: { state: t.arg({ type: InvitationState, description: 'Returns only invitations in this state.' }) },
    resolve: async ({ id }, { state }, context, info) => {
      if (!(await callerMayWithTeam(context, id, 'view'))) return [];
      const query = queryFromInfo({ context, info });
      const newest = await childLists(context, info, {
        most: MAX_PAGE,
        read: (teamIds, take) =>
          context.call.read.teamInvitation.findMany({
            ...query,
            where: { teamId: { in: teamIds }, state: state ?? undefined },
            orderBy: { id: 'desc' },
            take,
          }),
        parentOf: (invitation) => invitation.teamId,
      }).load(id);
      return withTheirTeams(newest).toReversed();
    },
  }),
}));

const InviteTeamMemberInput = builder.inputType('InviteTeamMemberInput', {
  description: 'A new team invitation.',
  fields: (t) => ({
    teamId: t.id(idOf.team),
    email: t.string({ required: true, description: 'Email address of an existing account.' }),
    role: t.field({ type: TeamRole, required: true, description: 'Role after joining, but not OWNER.' }),
  }),
});
const InvitationIdInput = builder.inputType('InvitationIdInput', {
  description: 'Identifies a team invitation.',
  fields: (t) => ({ invitationId: t.id(idOf.invitation) }),
});

const NewInvitation = z.object({ email: plainText(), role: GivenRole });

const TeamInvitationPayload = builder.objectRef<{ invitation: TeamInvitationRow }>('TeamInvitationPayload').implement({
  description: 'The affected invitation.',
  fields: (t) => ({
    invitation: t.field({
      type: TeamInvitation,
      description: 'The invitation after the change.',
      resolve: ({ invitation }) => invitation,
    }),
  }),
});

builder.mutationFields((t) => ({
  inviteTeamMember: t.field({
    type: TeamInvitationPayload,
    description: 'Invites a person to a team and emails them. Needs the role ADMIN or higher.',
    args: { input: t.arg(inputOf(InviteTeamMemberInput)) },
    resolve: async (_root, { input }, { call }) => ({
      invitation: await inviteTeamMember(call, {
        ...parseInput(NewInvitation, input),
        teamId: parseId(input.teamId, 'teamId'),
      }),
    }),
  }),
  acceptTeamInvitation: t.field({
    type: TeamInvitationPayload,
    description: 'Accepts an invitation to the caller and adds them to the team. Needs a verified email address.',
    args: { input: t.arg(inputOf(InvitationIdInput)) },
    resolve: async (_root, { input }, { call }) => ({
      invitation: await acceptTeamInvitation(call, parseId(input.invitationId, 'invitationId')),
    }),
  }),
  declineTeamInvitation: t.field({
    type: TeamInvitationPayload,
    description: 'Declines an invitation to the caller.',
    args: { input: t.arg(inputOf(InvitationIdInput)) },
    resolve: async (_root, { input }, { call }) => ({
      invitation: await declineTeamInvitation(call, parseId(input.invitationId, 'invitationId')),
    }),
  }),
  revokeTeamInvitation: t.field({
    type: TeamInvitationPayload,
    description: 'Revokes a pending invitation. Needs the role ADMIN or higher, unless the caller sent the invitation.',
    args: { input: t.arg(inputOf(InvitationIdInput)) },
    resolve: async (_root, { input }, { call }) => ({
      invitation: await revokeTeamInvitation(call, parseId(input.invitationId, 'invitationId')),
    }),
  }),
}));
