import {
  getApplication,
  listApplications,
  type OwnedApplication,
  restoreApplication,
  suspendApplication,
} from '../domain/operators/index.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { logCost } from './audit-log.js';
import { builder, FOR_OPERATORS, type InputFields, inputOf } from './builder.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { Instance } from './instance.js';
import {
  instancePage,
  ownerArgs,
  REASON,
  reasonOf,
  searchArgs,
  suspendedArgs,
  TEXT,
  textOf,
} from './instance-pages.js';
import { pageArgs } from './page.js';
import { User } from './users.js';

const InstanceApplication = builder.objectRef<OwnedApplication>('InstanceApplication').implement({
  description: 'An application on this instance, as operators see it.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name', { description: 'Name.' }),
    description: t.exposeString('description', { description: 'Description. Empty if there is none.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time when the application was created.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
    ownerUser: t.expose('ownerUser', {
      type: User,
      nullable: true,
      description: 'Person who owns the application. Null if a team does.',
    }),
    ownerTeamName: t.string({
      nullable: true,
      description: 'Name of the team that owns the application. Null if a person does.',
      resolve: ({ ownerTeam }) => ownerTeam?.name ?? null,
    }),
    serverCount: t.int({
      description: 'Number of servers where the application is installed.',
      resolve: ({ id }, _args, { call, budget }) =>
        budget.step(() => call.read.installation.count({ where: { applicationId: id, guildId: { not: null } } })),
    }),
    suspendedAt: t.expose('suspendedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the suspension. Null if the application is not suspended.',
    }),
    suspensionText: t.exposeString('suspensionText', {
      nullable: true,
      description: 'Text for its developers. Null if the application is not suspended.',
    }),
  }),
});

const InstanceApplicationConnection = builder.connectionObject(
  { type: InstanceApplication, name: 'InstanceApplicationConnection' },
  { name: 'InstanceApplicationEdge' },
);

builder.objectFields(Instance, (t) => ({
  applications: t.field({
    type: InstanceApplicationConnection,
    description: 'Applications, oldest first. Only for operators; everyone else gets NOT_FOUND.',
    args: { ...pageArgs, ...searchArgs, ...suspendedArgs, ...ownerArgs },
    complexity: logCost,
    resolve: (_instance, args, { call, budget }) =>
      instancePage(
        budget,
        args,
        (query) => listApplications(call, query),
        ({ id }) => id,
      ),
  }),
  application: t.field({
    type: InstanceApplication,
    description: 'An application. Only for operators; everyone else gets NOT_FOUND.',
    args: { id: t.arg.id(idOf.application) },
    resolve: (_instance, { id }, { call }) => getApplication(call, parseId(id, 'id')),
  }),
}));

const ofApplication = (t: InputFields) => ({
  applicationId: t.id(idOf.application),
  reason: t.string({ required: true, description: REASON }),
});

const OperatorApplicationInput = builder.inputType('OperatorApplicationInput', {
  description: 'An application to act on.',
  fields: ofApplication,
});
const SuspendApplicationInput = builder.inputType('OperatorSuspendApplicationInput', {
  description: 'An application to suspend.',
  fields: (t) => ({ ...ofApplication(t), text: t.string({ description: TEXT }) }),
});

const InstanceApplicationPayload = builder
  .objectRef<{ application: OwnedApplication }>('InstanceApplicationPayload')
  .implement({
    description: 'The application after the change.',
    fields: (t) => ({
      application: t.field({
        type: InstanceApplication,
        description: 'The application.',
        resolve: ({ application }) => application,
      }),
    }),
  });

const actedOn = (input: { applicationId: string; reason: string }) => ({
  applicationId: parseId(input.applicationId, 'applicationId'),
  reason: reasonOf(input),
});

builder.mutationFields((t) => ({
  operatorSuspendApplication: t.field({
    ...FOR_OPERATORS,
    type: InstanceApplicationPayload,
    description:
      'Stops an application: its tokens, webhooks, interactions and gateway sessions. Nothing is removed. For moderators.',
    args: { input: t.arg(inputOf(SuspendApplicationInput)) },
    resolve: async (_root, { input }, { call }) => ({
      application: await suspendApplication(call, { ...actedOn(input), text: textOf(input) }),
    }),
  }),
  operatorRestoreApplication: t.field({
    ...FOR_OPERATORS,
    type: InstanceApplicationPayload,
    description: 'Ends the suspension of an application. Its tokens are valid again. For moderators.',
    args: { input: t.arg(inputOf(OperatorApplicationInput)) },
    resolve: async (_root, { input }, { call }) => ({
      application: await restoreApplication(call, actedOn(input)),
    }),
  }),
}));
