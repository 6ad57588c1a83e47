import { queryFromInfo } from '@pothos/plugin-prisma';
import { requirePerson } from '../domain/call.js';
import { Application, ownApplications } from './applications.js';
import { builder } from './builder.js';
import { Guild, ownGuilds } from './guilds.js';
import { listArgs, listCost, parseList } from './lists.js';
import { TeamInvitation, withTheirTeams } from './team-invitations.js';
import { ownTeams, Team } from './teams.js';
import { Tester } from './testers.js';

export const PortalHome = builder.objectRef<{ userId: bigint }>('PortalHome').implement({
  description: "The caller's pending invitations, applications, teams, servers and boxes.",
  fields: (t) => ({
    teamInvitations: t.field({
      type: [TeamInvitation],
      description: 'Pending invitations to teams, oldest first.',
      args: listArgs,
      complexity: listCost,
      resolve: async ({ userId }, args, context, info) => {
        const query = queryFromInfo({ context, info });
        const { most, after } = parseList(args);
        const where = { inviteeId: userId, state: 'PENDING', id: { gt: after } } as const;
        const invitations = await context.budget.read(most, (take) =>
          context.call.read.teamInvitation.findMany({ ...query, where, orderBy: { id: 'asc' }, take }),
        );
        return withTheirTeams(invitations);
      },
    }),
    testerInvitations: t.field({
      type: [Tester],
      description: 'Pending invitations to test applications, sorted by application ID, which `after` refers to.',
      args: listArgs,
      complexity: listCost,
      resolve: ({ userId }, args, context, info) => {
        const query = queryFromInfo({ context, info });
        const { most, after } = parseList(args);
        // The row of the last seen invitation may be gone.
        const applicationId = { gt: after };
        return context.budget.read(most, (take) =>
          context.call.read.tester.findMany({
            ...query,
            where: { userId, applicationId, state: 'INVITED', application: { deletedAt: null } },
            orderBy: { applicationId: 'asc' },
            take,
          }),
        );
      },
    }),
    applications: t.field({
      type: [Application],
      description: 'Applications in which the caller has a role, oldest first.',
      args: listArgs,
      complexity: listCost,
      resolve: (_home, args, context, info) => ownApplications(context, args, info),
    }),
    teams: t.field({
      type: [Team],
      description: 'Teams of the caller, oldest first.',
      args: listArgs,
      complexity: listCost,
      resolve: (_home, args, context, info) => ownTeams(context, args, info),
    }),
    guilds: t.field({
      type: [Guild],
      description: 'Servers of which the caller is a member, oldest first.',
      args: listArgs,
      complexity: listCost,
      resolve: (_home, args, context, info) => ownGuilds(context, args, info),
    }),
  }),
});

builder.queryField('portalHome', (t) =>
  t.field({
    type: PortalHome,
    description: "The caller's pending invitations, applications, teams, servers and boxes.",
    resolve: (_root, _args, { call }) => ({ userId: requirePerson(call).user.id }),
  }),
);
