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
import { builder } from './builder.js';
import { parseId, snowflakeId } from './ids.js';
import { childLists } from './lists.js';
import { callerMayWithTeam } from './own-roles.js';
import { MAX_PAGE } from './page.js';
import { Team } from './teams.js';

const InvitationState = builder.enumType('InvitationState', {
  values: ['PENDING', 'ACCEPTED', 'DECLINED', 'REVOKED'] as const,
});

/** Drops invitations to a team that was deleted during the read: separate statements read rows and their relations. */
export function withTheirTeams<Invitation extends object>(invitations: Invitation[]): Invitation[] {
  return invitations.filter((invitation) => !('team' in invitation) || invitation.team !== null);
}

export const TeamInvitation = builder.prismaObject('TeamInvitation', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    team: t.relation('team', {
      resolve: async (query, { teamId }, _args, { call }) => {
        const team = await call.read.team.findUnique({ ...query, where: { id: teamId } });
        if (!team) throw new DomainError('UNKNOWN_TEAM');
        return team;
      },
    }),
    invitee: t.relation('invitee', {
      resolve: (query, { inviteeId }, _args, { call }) =>
        call.read.user.findUniqueOrThrow({ ...query, where: { id: inviteeId } }),
    }),
    inviter: t.relation('inviter', {
      resolve: (query, { inviterId }, _args, { call }) =>
        call.read.user.findUniqueOrThrow({ ...query, where: { id: inviterId } }),
    }),
    role: t.expose('role', { type: TeamRole }),
    state: t.expose('state', { type: InvitationState }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

builder.prismaObjectFields(Team, (t) => ({
  invitations: t.field({
    type: [TeamInvitation],
    description: 'The newest 100, oldest first.',
    args: { state: t.arg({ type: InvitationState, description: 'Only those in this state.' }) },
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
  fields: (t) => ({
    teamId: t.id({ required: true }),
    email: t.string({ required: true, description: 'Of somebody who has an account.' }),
    role: t.field({ type: TeamRole, required: true, description: 'Not OWNER.' }),
  }),
});
const InvitationIdInput = builder.inputType('InvitationIdInput', {
  fields: (t) => ({ invitationId: t.id({ required: true }) }),
});

const NewInvitation = z.object({ email: plainText(), role: GivenRole });

const TeamInvitationPayload = builder.objectRef<{ invitation: TeamInvitationRow }>('TeamInvitationPayload').implement({
  fields: (t) => ({ invitation: t.field({ type: TeamInvitation, resolve: ({ invitation }) => invitation }) }),
});

builder.mutationFields((t) => ({
  inviteTeamMember: t.field({
    type: TeamInvitationPayload,
    args: { input: t.arg({ type: InviteTeamMemberInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      invitation: await inviteTeamMember(call, {
        ...parseInput(NewInvitation, input),
        teamId: parseId(input.teamId, 'teamId'),
      }),
    }),
  }),
  acceptTeamInvitation: t.field({
    type: TeamInvitationPayload,
    description: 'By the invited person.',
    args: { input: t.arg({ type: InvitationIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      invitation: await acceptTeamInvitation(call, parseId(input.invitationId, 'invitationId')),
    }),
  }),
  declineTeamInvitation: t.field({
    type: TeamInvitationPayload,
    description: 'By the invited person.',
    args: { input: t.arg({ type: InvitationIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      invitation: await declineTeamInvitation(call, parseId(input.invitationId, 'invitationId')),
    }),
  }),
  revokeTeamInvitation: t.field({
    type: TeamInvitationPayload,
    description: 'By the inviter, or an admin or the owner of the team.',
    args: { input: t.arg({ type: InvitationIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      invitation: await revokeTeamInvitation(call, parseId(input.invitationId, 'invitationId')),
    }),
  }),
}));
