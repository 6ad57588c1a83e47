import { queryFromInfo } from '@pothos/plugin-prisma';
import { requirePerson } from '../domain/call.js';
import { builder } from './builder.js';
import { listArgs, listCost, parseList } from './lists.js';
import { TeamInvitation, withTheirTeams } from './team-invitations.js';
import { Tester } from './testers.js';

/** What waits for a person's answer. */
export const PortalHome = builder.objectRef<{ userId: bigint }>('PortalHome').implement({
  description: "What waits for the caller's answer.",
  fields: (t) => ({
    teamInvitations: t.field({
      type: [TeamInvitation],
      description: 'Oldest first.',
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
      description: 'Those to the oldest applications first; `after` is the id of an application.',
      args: listArgs,
      complexity: listCost,
      resolve: ({ userId }, args, context, info) => {
        const query = queryFromInfo({ context, info });
        const { most, after } = parseList(args);
        // The invitation that was seen last may be gone: what follows it is told by the id alone.
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
  }),
});

builder.queryField('portalHome', (t) =>
  t.field({
    type: PortalHome,
    resolve: (_root, _args, { call }) => ({ userId: requirePerson(call).user.id }),
  }),
);
