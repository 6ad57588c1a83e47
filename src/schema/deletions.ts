import {
  DeleteAccount,
  type DeletionProgress,
  deleteAccount,
  deletePerson,
  getDeletionProgress,
  getOwnDeletion,
  keepAccount,
  type OwnDeletion,
} from '../domain/deletions/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { User as UserRow } from '../infra/database/index.js';
import { builder, FOR_OPERATORS, inputOf } from './builder.js';
import { idOf, parseId } from './ids.js';
import { Instance } from './instance.js';
import { REASON, reasonOf } from './instance-pages.js';
import { User } from './users.js';

type Named = OwnDeletion['owned']['servers'][number];

const OwnedObject = builder.objectRef<Named>('OwnedObject').implement({
  description: 'Something that the caller owns and must hand over or delete before their account.',
  fields: (t) => ({
    id: t.id({ description: 'Snowflake ID.', resolve: ({ id }) => String(id) }),
    name: t.exposeString('name', { description: 'Name.' }),
  }),
});

const AccountDeletion = builder.objectRef<OwnDeletion>('AccountDeletion').implement({
  description: "Obstacles to the deletion of the caller's account, and what it removes.",
  fields: (t) => ({
    deletionAt: t.expose('deletionAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the account is deleted. Null if the caller did not ask for it.',
    }),
    days: t.exposeInt('days', {
      description: 'Days between the request and the deletion. 0 if the account is deleted at once.',
    }),
    isOperator: t.exposeBoolean('isOperator', {
      description: 'Whether the caller has a role on the instance, which another operator must take away first.',
    }),
    servers: t.field({
      type: [OwnedObject],
      description: 'Servers of the caller.',
      resolve: ({ owned }) => owned.servers,
    }),
    teams: t.field({ type: [OwnedObject], description: 'Teams of the caller.', resolve: ({ owned }) => owned.teams }),
    boxes: t.field({ type: [OwnedObject], description: 'Boxes of the caller.', resolve: ({ owned }) => owned.boxes }),
    boxServers: t.field({
      type: [OwnedObject],
      description: 'Servers of the caller on boxes of other people.',
      resolve: ({ owned }) => owned.boxServers,
    }),
    applications: t.exposeInt('applications', {
      description: 'Number of applications outside of teams, which are deleted with the account.',
    }),
  }),
});

builder.queryField('accountDeletion', (t) =>
  t.field({
    type: AccountDeletion,
    description: "Obstacles to the deletion of the caller's account, and what it removes. Needs a session.",
    resolve: (_root, _args, { call, budget }) => budget.step(() => getOwnDeletion(call)),
  }),
);

const DeleteAccountInput = builder.inputType('DeleteAccountInput', {
  description: 'Confirms the deletion.',
  fields: (t) => ({ password: t.string({ required: true, description: 'Current password of the caller.' }) }),
});
const DeleteAccountPayload = builder
  .objectRef<{ deletionAt: Date; user: UserRow | null }>('DeleteAccountPayload')
  .implement({
    description: 'The scheduled deletion.',
    fields: (t) => ({
      deletionAt: t.expose('deletionAt', { type: 'DateTime', description: 'Time when the account is deleted.' }),
      user: t.field({
        type: User,
        nullable: true,
        description: 'The caller. Null if the account is already deleted.',
        resolve: ({ user }) => user,
      }),
    }),
  });
const KeepAccountPayload = builder.objectRef<{ user: UserRow }>('KeepAccountPayload').implement({
  description: 'The account stays.',
  fields: (t) => ({ user: t.field({ type: User, description: 'The caller.', resolve: ({ user }) => user }) }),
});

const DeletePersonInput = builder.inputType('OperatorDeletePersonInput', {
  description: 'A person to delete.',
  fields: (t) => ({
    personId: t.id(idOf.user),
    reason: t.string({ required: true, description: REASON }),
    withMessages: t.boolean({
      defaultValue: false,
      description: 'Whether to remove their messages, files and reactions, too.',
    }),
    withOwned: t.boolean({
      defaultValue: false,
      description: 'Whether to delete their servers, teams and boxes, too.',
    }),
  }),
});

const DeletionState = builder.enumType('PersonDeletionState', {
  description: 'Progress of the job that removes what a deleted person left.',
  values: {
    RUNNING: { description: 'The job is queued or running.' },
    DONE: { description: 'Everything is removed.' },
    FAILED: { description: 'The job gave up. The log of the process has the error.' },
  },
});
const PersonDeletion = builder.objectRef<DeletionProgress>('PersonDeletion').implement({
  description: 'Progress of the deletion of a person. The person is out from the start.',
  fields: (t) => ({
    state: t.expose('state', { type: DeletionState, description: 'Whether the job is done.' }),
    messages: t.exposeInt('messages', { description: 'Number of messages that are still to be removed.' }),
    servers: t.exposeInt('servers', { description: 'Number of servers that the person is still to leave.' }),
  }),
});
const DeletePersonPayload = builder.objectRef<{ personId: bigint }>('OperatorDeletePersonPayload').implement({
  description: 'The deletion that began.',
  fields: (t) => ({
    personId: t.id({ description: 'ID of the person.', resolve: ({ personId }) => String(personId) }),
    deletion: t.field({
      type: PersonDeletion,
      description: 'Its progress.',
      resolve: ({ personId }, _args, { call, budget }) => budget.step(() => getDeletionProgress(call, personId)),
    }),
  }),
});

builder.objectField(Instance, 'personDeletion', (t) =>
  t.field({
    type: PersonDeletion,
    description: 'Progress of the deletion of a person. Only for operators; everyone else gets NOT_FOUND.',
    args: { id: t.arg.id(idOf.user) },
    resolve: (_instance, { id }, { call, budget }) => budget.step(() => getDeletionProgress(call, parseId(id, 'id'))),
  }),
);

builder.mutationFields((t) => ({
  deleteAccount: t.field({
    type: DeleteAccountPayload,
    description:
      "Schedules the deletion of the caller's account. Fails while they own servers, teams or boxes. Needs a session.",
    args: { input: t.arg(inputOf(DeleteAccountInput)) },
    resolve: async (_root, { input }, { call }) => {
      const { deletionAt, isDeleted } = await deleteAccount(call, parseInput(DeleteAccount, input));
      return { deletionAt, user: isDeleted || call.actor.kind !== 'person' ? null : call.actor.user };
    },
  }),
  keepAccount: t.field({
    type: KeepAccountPayload,
    description: 'Undoes `deleteAccount`. Needs a session.',
    resolve: async (_root, _args, { call }) => ({ user: await keepAccount(call) }),
  }),
  operatorDeletePerson: t.field({
    ...FOR_OPERATORS,
    type: DeletePersonPayload,
    description:
      'Deletes a person at once, for good. Their name disappears everywhere; a job removes what they left. Fails for a person who owns servers, teams or boxes, unless `withOwned` is true. For moderators.',
    args: { input: t.arg(inputOf(DeletePersonInput)) },
    resolve: async (_root, { input }, { call }) => {
      const personId = parseId(input.personId, 'personId');
      const { withMessages, withOwned } = input;
      await deletePerson(call, {
        personId,
        reason: reasonOf(input),
        withMessages: withMessages ?? false,
        withOwned: withOwned ?? false,
      });
      return { personId };
    },
  }),
}));
