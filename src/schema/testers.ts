import { queryFromInfo } from '@pothos/plugin-prisma';
import { plainText } from '../domain/input.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import {
  acceptTesterInvitation,
  declineTesterInvitation,
  inviteTester,
  removeTester,
} from '../domain/testers/index.js';
import type { Tester as TesterRow } from '../infra/database/index.js';
import { Application, ApplicationIdInput } from './applications.js';
import { builder } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { parseId, parseOptionalId } from './ids.js';
import { childLists } from './lists.js';
import { callerMayWithApplication } from './own-roles.js';
import { referredUser, User } from './users.js';

const TesterState = builder.enumType('TesterState', { values: ['INVITED', 'ACCEPTED'] as const });

export const Tester = builder.prismaObject('Tester', {
  description: 'Somebody who may install a private application, once they accepted.',
  fields: (t) => ({
    application: t.relation('application', {
      resolve: (query, { applicationId }, _args, { call }) =>
        call.read.application.findUniqueOrThrow({ ...query, where: { id: applicationId } }),
    }),
    user: t.relation('user', {
      resolve: (query, { userId }, _args, { call }) =>
        call.read.user.findUniqueOrThrow({ ...query, where: { id: userId } }),
    }),
    state: t.expose('state', { type: TesterState }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When they were invited.' }),
    invitedBy: t.field({
      type: User,
      nullable: true,
      description: 'Null where nobody noted it.',
      resolve: ({ inviterId }, _args, context, info) =>
        inviterId === null ? null : referredUser(context, info, inviterId),
    }),
  }),
});

builder.prismaObjectFields(Application, (t) => ({
  testers: t.field({
    type: [Tester],
    description: 'In the order they were invited.',
    resolve: async (application, _args, context, info) => {
      if (!(await callerMayWithApplication(context, application, 'viewTesters'))) return [];
      const query = queryFromInfo({ context, info });
      return childLists(context, info, {
        most: limits.testersPerApplication,
        read: (applicationIds, take) =>
          context.call.read.tester.findMany({
            ...query,
            where: { applicationId: { in: applicationIds } },
            orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
            take,
          }),
        parentOf: (tester) => tester.applicationId,
      }).load(application.id);
    },
  }),
}));

const InviteTesterInput = builder.inputType('InviteTesterInput', {
  description: 'Names a person by one of the two.',
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    userId: t.id(),
    email: t.string(),
  }),
});

const ApplicationUserInput = builder.inputType('ApplicationUserInput', {
  fields: (t) => ({ applicationId: t.id({ required: true }), userId: t.id({ required: true }) }),
});

const TesterPayload = builder.objectRef<{ tester: TesterRow }>('TesterPayload').implement({
  fields: (t) => ({ tester: t.field({ type: Tester, resolve: ({ tester }) => tester }) }),
});

builder.mutationFields((t) => ({
  inviteTester: t.field({
    type: TesterPayload,
    description: 'Who invites themselves has accepted with that.',
    args: { input: t.arg({ type: InviteTesterInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      tester: await inviteTester(call, {
        applicationId: parseId(input.applicationId, 'applicationId'),
        userId: parseOptionalId(input.userId, 'userId'),
        email: parseInput(plainText().nullish(), input.email, 'email'),
      }),
    }),
  }),
  acceptTesterInvitation: t.field({
    type: TesterPayload,
    args: { input: t.arg({ type: ApplicationIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      tester: await acceptTesterInvitation(call, parseId(input.applicationId, 'applicationId')),
    }),
  }),
  declineTesterInvitation: t.field({
    type: DeletedPayload,
    description: "Answers with the application's id.",
    args: { input: t.arg({ type: ApplicationIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.applicationId, 'applicationId');
      await declineTesterInvitation(call, id);
      return { id };
    },
  }),
  removeTester: t.field({
    type: DeletedPayload,
    description: "Answers with the user's id. Tokens the tester has stay valid.",
    args: { input: t.arg({ type: ApplicationUserInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const applicationId = parseId(input.applicationId, 'applicationId');
      const userId = parseId(input.userId, 'userId');
      await removeTester(call, { applicationId, userId });
      return { id: userId };
    },
  }),
}));
