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
import { builder, inputOf, NEEDS_SESSION, WITH_PERSONAL_TOKEN } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { childLists, type ListArgs, listArgs, listCost, parseList, readInPieces } from './lists.js';
import { callerMayWithTeam } from './own-roles.js';
import { bytesOf, ICON } from './uploads.js';
import { User } from './users.js';

const TeamMember = builder.objectRef<{ user: UserRow; role: PortalRole }>('TeamMember').implement({
  description: 'A member of a team.',
  fields: (t) => ({
    user: t.field({ type: User, description: 'User account of the member.', resolve: ({ user }) => user }),
    role: t.expose('role', { type: TeamRole, description: 'Role in the team. Exactly one member is OWNER.' }),
  }),
});

export const Team = builder.prismaObject('Team', {
  ...NEEDS_SESSION,
  description:
    'A group of developers who own applications together. Its lists are empty for callers who are not members.',
  fields: (t) => ({
    id: t.field({ ...WITH_PERSONAL_TOKEN, ...snowflakeId }),
    name: t.exposeString('name', { ...WITH_PERSONAL_TOKEN, description: '2–32 characters.' }),
    iconUrl: t.string({
      nullable: true,
      description: 'URL of the icon. Null if none is set.',
      resolve: ({ id, iconHash }, _args, { app }) =>
        iconHash && `${app.addresses.publicUrl}/cdn/team-icons/${id}/${iconHash}.png`,
    }),
    owner: t.relation('owner', { description: 'The member with the role OWNER.' }),
    members: t.field({
      type: [TeamMember],
      description: `Members in the order in which they joined, at most ${limits.membersPerTeam}.`,
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
      description: 'Applications that the team owns, oldest first.',
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
    description: 'Owning team. Null if a person owns the application, or the caller is not a member of the team.',
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
    description: 'Teams of the caller, oldest first.',
    args: listArgs,
    complexity: listCost,
    resolve: (_root, args, context, info) => ownTeams(context, args, info),
  }),
  team: t.prismaField({
    type: Team,
    nullable: true,
    description: 'A team of which the caller is a member.',
    args: { id: t.arg.id(idOf.team) },
    resolve: async (query, _root, args, { call }) => {
      const { id } = await accessTeam(call, parseId(args.id, 'id'), 'view');
      return call.read.team.findUnique({ ...query, where: { id } });
    },
  }),
}));

const NAME = '2–32 characters.';

const CreateTeamInput = builder.inputType('CreateTeamInput', {
  description: 'A new team.',
  fields: (t) => ({
    name: t.string({ required: true, description: NAME }),
    icon: t.field({ type: 'File', description: ICON }),
  }),
});
const UpdateTeamInput = builder.inputType('UpdateTeamInput', {
  description: 'Omitted fields stay unchanged. Null removes `icon` and leaves `name` unchanged.',
  fields: (t) => ({
    teamId: t.id(idOf.team),
    name: t.string({ description: NAME }),
    icon: t.field({ type: 'File', description: ICON }),
  }),
});
const TeamIdInput = builder.inputType('TeamIdInput', {
  description: 'Identifies a team.',
  fields: (t) => ({ teamId: t.id(idOf.team) }),
});
const TeamUserInput = builder.inputType('TeamUserInput', {
  description: 'Identifies a member of a team.',
  fields: (t) => ({ teamId: t.id(idOf.team), userId: t.id(idOf.user) }),
});
const UpdateTeamMemberInput = builder.inputType('UpdateTeamMemberInput', {
  description: 'New role of a team member.',
  fields: (t) => ({
    teamId: t.id(idOf.team),
    userId: t.id(idOf.user),
    role: t.field({ type: TeamRole, required: true, description: 'New role, but not OWNER.' }),
  }),
});

const TeamPayload = builder.objectRef<{ team: TeamRow }>('TeamPayload').implement({
  description: 'The affected team.',
  fields: (t) => ({
    team: t.field({ type: Team, description: 'The team after the change.', resolve: ({ team }) => team }),
  }),
});

const NewTeam = z.object({ name: TeamName });
const TeamSettings = z.object({ name: TeamName.nullish() });

function teamUserOf(input: { teamId: string; userId: string }): { teamId: bigint; userId: bigint } {
  return { teamId: parseId(input.teamId, 'teamId'), userId: parseId(input.userId, 'userId') };
}

builder.mutationFields((t) => ({
  createTeam: t.field({
    type: TeamPayload,
    description: 'Creates a team that the caller owns.',
    args: { input: t.arg(inputOf(CreateTeamInput)) },
    resolve: async (_root, { input: { icon, ...input } }, { call }) => ({
      team: await createTeam(call, { ...parseInput(NewTeam, input), icon: bytesOf(icon) }),
    }),
  }),
  updateTeam: t.field({
    type: TeamPayload,
    description: 'Changes the name and icon of a team. Needs the role ADMIN or higher.',
    args: { input: t.arg(inputOf(UpdateTeamInput)) },
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
    description: 'Deletes a team that owns no applications. This cannot be undone. Needs the role OWNER.',
    args: { input: t.arg(inputOf(TeamIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.teamId, 'teamId');
      await deleteTeam(call, id);
      return { id };
    },
  }),
  updateTeamMember: t.field({
    type: TeamPayload,
    description: "Changes a member's role, except the owner's. Needs the role ADMIN or higher.",
    args: { input: t.arg(inputOf(UpdateTeamMemberInput)) },
    resolve: (_root, { input }, { call }) =>
      updateTeamMember(call, { ...teamUserOf(input), role: parseInput(GivenRole, input.role, 'role') }),
  }),
  removeTeamMember: t.field({
    type: TeamPayload,
    description:
      'Removes a member, except the owner. Members can remove themselves; to remove others, the caller needs the role ADMIN or higher.',
    args: { input: t.arg(inputOf(TeamUserInput)) },
    resolve: async (_root, { input }, { call }) => ({ team: await removeTeamMember(call, teamUserOf(input)) }),
  }),
  transferTeamOwnership: t.field({
    type: TeamPayload,
    description: 'Makes another member the owner. The previous owner becomes an admin. Needs the role OWNER.',
    args: { input: t.arg(inputOf(TeamUserInput)) },
    resolve: async (_root, { input }, { call }) => ({ team: await transferTeamOwnership(call, teamUserOf(input)) }),
  }),
}));
