import {
  claimInstance,
  createPasswordLink,
  figuresOf,
  getPerson,
  listOperators,
  listPeople,
  type PersonAccount,
  type PersonFigures as PersonFiguresFacts,
  restorePerson,
  setOperatorRole,
  signOutPerson,
  suspendPerson,
} from '../domain/operators/index.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { logCost } from './audit-log.js';
import { builder, FOR_OPERATORS, type InputFields, inputOf } from './builder.js';
import { idOf, parseId } from './ids.js';
import { Instance } from './instance.js';
import { instancePage, REASON, reasonOf, searchArgs, suspendedArgs, TEXT, textOf } from './instance-pages.js';
import { pageArgs } from './page.js';
import { OperatorRole, User } from './users.js';

const PersonFigures = builder.objectRef<PersonFiguresFacts>('PersonFigures').implement({
  description: 'How much a person wrote and owns on this instance.',
  fields: (t) => ({
    messages: t.exposeInt('messages', { description: 'Number of messages, in servers and direct channels.' }),
    servers: t.exposeInt('servers', { description: 'Number of servers that the person owns.' }),
    memberships: t.exposeInt('memberships', { description: 'Number of servers that the person is a member of.' }),
    teams: t.exposeInt('teams', { description: 'Number of teams that the person owns.' }),
    applications: t.exposeInt('applications', { description: 'Number of applications that the person owns.' }),
    boxes: t.exposeInt('boxes', { description: 'Number of boxes that the person owns.' }),
  }),
});

export const InstancePerson = builder.objectRef<PersonAccount>('InstancePerson').implement({
  description: 'A person with an account on this instance, as operators see them.',
  fields: (t) => ({
    id: t.id({ description: 'Snowflake ID.', resolve: ({ userId }) => String(userId) }),
    user: t.field({ type: User, description: 'The profile that everyone sees.', resolve: ({ user }) => user }),
    email: t.exposeString('email', { description: 'Email address.' }),
    emailVerified: t.exposeBoolean('emailVerified', { description: 'Whether the email address is verified.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time of the sign-up.',
      resolve: ({ userId }) => new Date(snowflakeTime(userId)),
    }),
    seenAt: t.expose('seenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last time the person used the platform, accurate to an hour. Null if unknown.',
    }),
    operatorRole: t.expose('operatorRole', {
      type: OperatorRole,
      nullable: true,
      description: 'Role on the whole instance. Null without such a role.',
    }),
    suspendedAt: t.expose('suspendedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the suspension. Null if the person is not suspended.',
    }),
    suspensionText: t.exposeString('suspensionText', {
      nullable: true,
      description: 'Text that the person reads when they sign in. Null if they are not suspended.',
    }),
    deletionAt: t.expose('deletionAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the account is deleted, because the person asked for it. Null if they did not.',
    }),
    figures: t.field({
      type: PersonFigures,
      description: 'How much the person wrote and owns.',
      resolve: ({ userId }, _args, { call, budget }) => budget.step(() => figuresOf(call, userId)),
    }),
  }),
});

const InstancePersonConnection = builder.connectionObject(
  { type: InstancePerson, name: 'InstancePersonConnection' },
  { name: 'InstancePersonEdge' },
);

const OPERATORS_ONLY = 'Only for operators; everyone else gets NOT_FOUND.';

builder.objectFields(Instance, (t) => ({
  people: t.field({
    type: InstancePersonConnection,
    description: `People by time of sign-up, oldest first. \`search\` also finds email addresses. ${OPERATORS_ONLY}`,
    args: { ...pageArgs, ...searchArgs, ...suspendedArgs },
    complexity: logCost,
    resolve: (_instance, args, { call, budget }) =>
      instancePage(
        budget,
        args,
        (query) => listPeople(call, query),
        ({ userId }) => userId,
      ),
  }),
  person: t.field({
    type: InstancePerson,
    description: `A person. ${OPERATORS_ONLY}`,
    args: { id: t.arg.id(idOf.user) },
    resolve: (_instance, { id }, { call }) => getPerson(call, parseId(id, 'id')),
  }),
  operators: t.field({
    ...FOR_OPERATORS,
    type: [InstancePerson],
    description: 'Operators, then moderators. Only for operators; everyone else gets NOT_FOUND.',
    resolve: (_instance, _args, { call, budget }) => budget.step(() => listOperators(call)),
  }),
}));

const ofPerson = (t: InputFields) => ({
  personId: t.id(idOf.user),
  reason: t.string({ required: true, description: REASON }),
});

export const OperatorPersonInput = builder.inputType('OperatorPersonInput', {
  description: 'A person to act on.',
  fields: ofPerson,
});
const SuspendPersonInput = builder.inputType('OperatorSuspendPersonInput', {
  description: 'A person to suspend.',
  fields: (t) => ({ ...ofPerson(t), text: t.string({ description: TEXT }) }),
});
const OperatorRoleInput = builder.inputType('OperatorSetRoleInput', {
  description: 'A person and their new role.',
  fields: (t) => ({
    ...ofPerson(t),
    role: t.field({ type: OperatorRole, description: 'Null takes the role away.' }),
  }),
});
const ClaimInstanceInput = builder.inputType('ClaimInstanceInput', {
  description: 'The set-up link.',
  fields: (t) => ({
    token: t.string({ required: true, description: 'Part after `#` of the link that the instance prints.' }),
  }),
});

const InstancePersonPayload = builder.objectRef<{ person: PersonAccount }>('InstancePersonPayload').implement({
  description: 'The person after the change.',
  fields: (t) => ({
    person: t.field({ type: InstancePerson, description: 'The person.', resolve: ({ person }) => person }),
  }),
});
const PasswordLinkPayload = builder.objectRef<{ url: string }>('OperatorPasswordLinkPayload').implement({
  description: 'A link to a new password.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Works once, within an hour. Shown only once.' }),
  }),
});
const ClaimInstancePayload = builder.objectRef<{ role: 'OPERATOR' }>('ClaimInstancePayload').implement({
  description: "The caller's new role.",
  fields: (t) => ({ role: t.expose('role', { type: OperatorRole, description: 'OPERATOR.' }) }),
});

export const personActedOn = (input: { personId: string; reason: string }) => ({
  personId: parseId(input.personId, 'personId'),
  reason: reasonOf(input),
});

builder.mutationFields((t) => ({
  claimInstance: t.field({
    type: ClaimInstancePayload,
    description: 'Makes the caller the first operator of the instance. The set-up link works once.',
    args: { input: t.arg(inputOf(ClaimInstanceInput)) },
    resolve: async (_root, { input }, { call }) => {
      await claimInstance(call, input.token);
      return { role: 'OPERATOR' as const };
    },
  }),
  operatorSetRole: t.field({
    ...FOR_OPERATORS,
    type: InstancePersonPayload,
    description:
      'Makes a person an operator or a moderator, or takes the role away. Not for the caller. For operators.',
    args: { input: t.arg(inputOf(OperatorRoleInput)) },
    resolve: async (_root, { input }, { call }) => ({
      person: await setOperatorRole(call, { ...personActedOn(input), role: input.role ?? null }),
    }),
  }),
  operatorSuspendPerson: t.field({
    ...FOR_OPERATORS,
    type: InstancePersonPayload,
    description:
      'Signs a person out everywhere, for now. Their personal tokens and grants end; their applications go on. For moderators.',
    args: { input: t.arg(inputOf(SuspendPersonInput)) },
    resolve: async (_root, { input }, { call }) => ({
      person: await suspendPerson(call, { ...personActedOn(input), text: textOf(input) }),
    }),
  }),
  operatorRestorePerson: t.field({
    ...FOR_OPERATORS,
    type: InstancePersonPayload,
    description: 'Ends a suspension: the person can sign in again. For moderators.',
    args: { input: t.arg(inputOf(OperatorPersonInput)) },
    resolve: async (_root, { input }, { call }) => ({ person: await restorePerson(call, personActedOn(input)) }),
  }),
  operatorSignOutPerson: t.field({
    ...FOR_OPERATORS,
    type: InstancePersonPayload,
    description: 'Ends all sessions, personal tokens and grants of a person. For moderators.',
    args: { input: t.arg(inputOf(OperatorPersonInput)) },
    resolve: async (_root, { input }, { call }) => ({ person: await signOutPerson(call, personActedOn(input)) }),
  }),
  operatorCreatePasswordLink: t.field({
    ...FOR_OPERATORS,
    type: PasswordLinkPayload,
    description: 'Creates a link with which the person chooses a new password. For moderators.',
    args: { input: t.arg(inputOf(OperatorPersonInput)) },
    resolve: async (_root, { input }, { call }) => ({ url: await createPasswordLink(call, personActedOn(input)) }),
  }),
}));
