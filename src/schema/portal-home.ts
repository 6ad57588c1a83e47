import { queryFromInfo } from '@pothos/plugin-prisma';
import { requirePerson } from '../domain/call.js';
import { builder } from './builder.js';
import { TeamInvitation, withTheirTeams } from './team-invitation.js';
import { Tester } from './tester.js';

/** What waits for a person's answer. */
export const PortalHome = builder.objectRef<{ userId: bigint }>('PortalHome').implement({
  description: "What waits for the caller's answer, oldest first.",
  fields: (t) => ({
    teamInvitations: t.field({
      type: [TeamInvitation],
      resolve: async ({ userId }, _args, context, info) =>
        withTheirTeams(
          await context.call.read.teamInvitation.findMany({
            ...queryFromInfo({ context, info }),
            where: { inviteeId: userId, state: 'PENDING' },
            orderBy: { id: 'asc' },
          }),
        ),
    }),
    testerInvitations: t.field({
      type: [Tester],
      resolve: ({ userId }, _args, context, info) =>
        context.call.read.tester.findMany({
          ...queryFromInfo({ context, info }),
          where: { userId, state: 'INVITED', application: { deletedAt: null } },
          orderBy: [{ createdAt: 'asc' }, { applicationId: 'asc' }],
        }),
    }),
  }),
});

builder.queryField('portalHome', (t) =>
  t.field({
    type: PortalHome,
    resolve: (_root, _args, { call }) => ({ userId: requirePerson(call).user.id }),
  }),
);
