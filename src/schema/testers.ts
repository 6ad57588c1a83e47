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
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { idOf, parseId, parseOptionalId } from './ids.js';
import { childLists } from './lists.js';
import { callerMayWithApplication } from './own-roles.js';
import { referredUser, User } from './users.js';

const TesterState = builder.enumType('TesterState', {
  description: 'State of a tester invitation.',
  values: {
    INVITED: { description: 'The invitation is pending.' },
    ACCEPTED: { description: 'The person can install the application while it is private.' },
  },
});

export const Tester = builder.prismaObject('Tester', {
  description: 'A person invited to test a private application. They can install it after they accept.',
  fields: (t) => ({
    application: t.relation('application', {
      description: 'The application to test.',
      resolve: (query, { applicationId }, _args, { call }) =>
        call.read.application.findUniqueOrThrow({ ...query, where: { id: applicationId } }),
    }),
    user: t.relation('user', {
      description: 'The invited person.',
      resolve: (query, { userId }, _args, { call }) =>
        call.read.user.findUniqueOrThrow({ ...query, where: { id: userId } }),
    }),
    state: t.expose('state', { type: TesterState, description: 'Whether the person accepted.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the invitation.' }),
    invitedBy: t.field({
      type: User,
      nullable: true,
      description: 'Person who sent the invitation. Null if not recorded.',
      resolve: ({ inviterId }, _args, context, info) =>
        inviterId === null ? null : referredUser(context, info, inviterId),
    }),
  }),
});

builder.prismaObjectFields(Application, (t) => ({
  testers: t.field({
    type: [Tester],
    description: `Testers in the order of their invitations, at most ${limits.testersPerApplication}. Empty for callers without a role.`,
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
  description: 'Identifies a person by exactly one of `userId` and `email`.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    userId: t.id({ description: 'User ID of the person.' }),
    email: t.string({ description: 'Email address of an existing account.' }),
  }),
});

const ApplicationUserInput = builder.inputType('ApplicationUserInput', {
  description: 'Identifies a tester of an application.',
  fields: (t) => ({ applicationId: t.id(idOf.application), userId: t.id(idOf.user) }),
});

const TesterPayload = builder.objectRef<{ tester: TesterRow }>('TesterPayload').implement({
  description: 'The affected tester.',
  fields: (t) => ({
    tester: t.field({ type: Tester, description: 'The tester after the change.', resolve: ({ tester }) => tester }),
  }),
});

builder.mutationFields((t) => ({
  inviteTester: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: TesterPayload,
    description:
      'Invites a person to test an application. Callers who invite themselves accept at once. Needs the role ADMIN or higher.',
    args: { input: t.arg(inputOf(InviteTesterInput)) },
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
    description: "Accepts the caller's invitation to test an application. Needs a verified email address.",
    args: { input: t.arg(inputOf(ApplicationIdInput)) },
    resolve: async (_root, { input }, { call }) => ({
      tester: await acceptTesterInvitation(call, parseId(input.applicationId, 'applicationId')),
    }),
  }),
  declineTesterInvitation: t.field({
    type: DeletedPayload,
    description: "Declines the caller's invitation to test an application. Returns the application ID.",
    args: { input: t.arg(inputOf(ApplicationIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.applicationId, 'applicationId');
      await declineTesterInvitation(call, id);
      return { id };
    },
  }),
  removeTester: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: DeletedPayload,
    description:
      'Removes a tester and returns the user ID. Their tokens and installations stay. Needs the role ADMIN or higher.',
    args: { input: t.arg(inputOf(ApplicationUserInput)) },
    resolve: async (_root, { input }, { call }) => {
      const applicationId = parseId(input.applicationId, 'applicationId');
      const userId = parseId(input.userId, 'userId');
      await removeTester(call, { applicationId, userId });
      return { id: userId };
    },
  }),
}));
