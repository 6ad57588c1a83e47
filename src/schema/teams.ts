import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { visibleApplications } from '../domain/applications/index.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import type { PortalRole } from '../domain/portal-permissions.js';
import {
  accessTeam,
  createTeam,
  deleteTeam,
  GivenRole,
  ownTeamIds,
  removeTeamMember,
  roleInTeam,
  TeamName,
  transferTeamOwnership,
  updateTeam,
  updateTeamMember,
} from '../domain/teams/index.js';
import type { Team as TeamRow, User as UserRow } from '../infra/database/index.js';
import { Application, TeamRole } from './applications.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { parseId, snowflakeId } from './ids.js';
import { childLists, type ListArgs, listArgs, listCost, parseList, readInPieces } from './lists.js';
import { callerMayWithTeam } from './own-roles.js';
import { bytesOf } from './uploads.js';
import { User } from './users.js';

const TeamMember = builder.objectRef<{ user: UserRow; role: PortalRole }>('TeamMember').implement({
  fields: (t) => ({
    user: t.field({ type: User, resolve: ({ user }) => user }),
    role: t.expose('role', { type: TeamRole }),
  }),
});

export const Team = builder.prismaObject('Team', {
  description: 'A group of developers who own applications together. Its lists are empty to somebody who is no member.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    iconUrl: t.string({
      nullable: true,
      resolve: ({ id, iconHash }, _args, { app }) =>
        iconHash && `${app.addresses.publicUrl}/cdn/team-icons/${id}/${iconHash}.png`,
    }),
    owner: t.relation('owner'),
    members: t.field({
      type: [TeamMember],
      description: 'In the order they joined.',
      resolve: async (team, _args, context, info) => {
        if (!(await callerMayWithTeam(context, team.id, 'view'))) return [];
        const members = await childLists(context, info, {
          most: limits.membersPerTeam,
          read: (teamIds, take) =>
            context.call.read.teamMember.findMany({
              include: { user: true },
              where: { teamId: { in: teamIds } },
              orderBy: [{ joinedAt: 'asc' }, { userId: 'asc' }],
              take,
            }),
          parentOf: (member) => member.teamId,
        }).load(team.id);
        return members.map((member) => ({ user: member.user, role: roleInTeam(team, member) }));
      },
    }),
    applications: t.field({
      type: [Application],
      description: 'Oldest first.',
      args: listArgs,
      complexity: listCost,
      resolve: ({ id }, args, context, info) => {
        const query = queryFromInfo({ context, info });
        const { most, after } = parseList(args);
        return childLists(context, info, {
          most,
          read: (teamIds, take) =>
            context.call.read.application.findMany({
              ...query,
              where: { ...visibleApplications(context.call), ownerTeamId: { in: teamIds }, id: { gt: after } },
              orderBy: { id: 'asc' },
              take,
            }),
          parentOf: (application) => application.ownerTeamId,
        }).load(id);
      },
    }),
  }),
});

builder.prismaObjectFields(Application, (t) => ({
  ownerTeam: t.field({
    type: Team,
    nullable: true,
    description: 'Shown to its members.',
    select: (_args, _context, nested) => ({ ownerTeam: nested({}) }),
    resolve: async ({ ownerTeam }, _args, context) =>
      ownerTeam && (await callerMayWithTeam(context, ownerTeam.id, 'view')) ? ownerTeam : null,
  }),
}));

/** Oldest first. */
export async function ownTeams(context: GraphqlContext, args: ListArgs, info: GraphQLResolveInfo): Promise<TeamRow[]> {
  const { call, budget } = context;
  const query = queryFromInfo({ context, info });
  const { most, after } = parseList(args);
  const ids = await budget.step(() => ownTeamIds(call, { after, take: most }));
  return readInPieces(budget, ids, (piece) => call.read.team.findMany({ ...query, where: { id: { in: piece } } }));
}

builder.queryFields((t) => ({
  teams: t.field({
    type: [Team],
    description: 'Where the caller is a member, oldest first.',
    args: listArgs,
    complexity: listCost,
    resolve: (_root, args, context, info) => ownTeams(context, args, info),
  }),
  team: t.prismaField({
    type: Team,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (query, _root, args, { call }) => {
      const { id } = await accessTeam(call, parseId(args.id, 'id'), 'view');
      return call.read.team.findUnique({ ...query, where: { id } });
    },
  }),
}));

const ICON = 'PNG, JPEG, GIF or WebP, at most 10 MiB.';

const CreateTeamInput = builder.inputType('CreateTeamInput', {
  fields: (t) => ({ name: t.string({ required: true }), icon: t.field({ type: 'File', description: ICON }) }),
});
const UpdateTeamInput = builder.inputType('UpdateTeamInput', {
  description: 'What is not given stays as it is. Null clears the icon, and leaves the name as it is.',
  fields: (t) => ({
    teamId: t.id({ required: true }),
    name: t.string(),
    icon: t.field({ type: 'File', description: ICON }),
  }),
});
const TeamIdInput = builder.inputType('TeamIdInput', { fields: (t) => ({ teamId: t.id({ required: true }) }) });
const TeamUserInput = builder.inputType('TeamUserInput', {
  fields: (t) => ({ teamId: t.id({ required: true }), userId: t.id({ required: true }) }),
});
const UpdateTeamMemberInput = builder.inputType('UpdateTeamMemberInput', {
  fields: (t) => ({
    teamId: t.id({ required: true }),
    userId: t.id({ required: true }),
    role: t.field({ type: TeamRole, required: true, description: 'Not OWNER.' }),
  }),
});

const TeamPayload = builder.objectRef<{ team: TeamRow }>('TeamPayload').implement({
  fields: (t) => ({ team: t.field({ type: Team, resolve: ({ team }) => team }) }),
});

const NewTeam = z.object({ name: TeamName });
const TeamSettings = z.object({ name: TeamName.nullish() });

function teamUserOf(input: { teamId: string; userId: string }): { teamId: bigint; userId: bigint } {
  return { teamId: parseId(input.teamId, 'teamId'), userId: parseId(input.userId, 'userId') };
}

builder.mutationFields((t) => ({
  createTeam: t.field({
    type: TeamPayload,
    description: 'Makes a team that the caller owns.',
    args: { input: t.arg({ type: CreateTeamInput, required: true }) },
    resolve: async (_root, { input: { icon, ...input } }, { call }) => ({
      team: await createTeam(call, { ...parseInput(NewTeam, input), icon: bytesOf(icon) }),
    }),
  }),
  updateTeam: t.field({
    type: TeamPayload,
    args: { input: t.arg({ type: UpdateTeamInput, required: true }) },
    resolve: async (_root, { input: { teamId, icon, ...input } }, { call }) => ({
      team: await updateTeam(call, {
        ...parseInput(TeamSettings, input),
        teamId: parseId(teamId, 'teamId'),
        icon: bytesOf(icon),
      }),
    }),
  }),
  deleteTeam: t.field({
    type: DeletedPayload,
    description: 'For good; refused while the team owns applications.',
    args: { input: t.arg({ type: TeamIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.teamId, 'teamId');
      await deleteTeam(call, id);
      return { id };
    },
  }),
  updateTeamMember: t.field({
    type: TeamPayload,
    description: "Gives a member another role; the owner's cannot be changed.",
    args: { input: t.arg({ type: UpdateTeamMemberInput, required: true }) },
    resolve: (_root, { input }, { call }) =>
      updateTeamMember(call, { ...teamUserOf(input), role: parseInput(GivenRole, input.role, 'role') }),
  }),
  removeTeamMember: t.field({
    type: TeamPayload,
    description: 'Takes a member out of the team; oneself to leave it. The owner stays.',
    args: { input: t.arg({ type: TeamUserInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({ team: await removeTeamMember(call, teamUserOf(input)) }),
  }),
  transferTeamOwnership: t.field({
    type: TeamPayload,
    description: 'Hands the team to another member. Who owned it stays as an admin.',
    args: { input: t.arg({ type: TeamUserInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({ team: await transferTeamOwnership(call, teamUserOf(input)) }),
  }),
}));
