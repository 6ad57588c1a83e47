import {
  createInvitation,
  listInvitations,
  MAX_INVITATIONS,
  type MadeInvitation,
  NewInvitation,
  revokeInvitation,
} from '../domain/operators/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { SignUpInvitation as SignUpInvitationRow } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { builder, FOR_OPERATORS, inputOf } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { Instance } from './instance.js';
import { referredUser, User } from './users.js';

const RegistrationMode = builder.enumType('RegistrationMode', {
  description: 'People who may sign up.',
  values: {
    OPEN: { description: 'Everyone.' },
    INVITE: { description: 'People with an invitation.' },
    CLOSED: { description: 'No one.' },
  },
});

const MODES = { open: 'OPEN', invite: 'INVITE', closed: 'CLOSED' } as const;

const SignUpInvitation = builder.objectRef<SignUpInvitationRow>('SignUpInvitation').implement({
  description: 'A link with which people can sign up.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    note: t.exposeString('note', { description: 'Note of its creator. Empty without one.' }),
    codeHint: t.string({ description: 'Last characters of the code.', resolve: ({ last4 }) => `…${last4}` }),
    createdBy: t.field({
      type: User,
      nullable: true,
      description: 'Operator who created it. Null if not recorded.',
      resolve: ({ createdById }, _args, context, info) =>
        createdById === null ? null : referredUser(context, info, createdById),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time when it was created.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time from which it is invalid: when it expires, or was used up. Null if it does not expire.',
    }),
    uses: t.exposeInt('uses', { description: 'Number of people who signed up with it.' }),
    maxUses: t.exposeInt('maxUses', {
      nullable: true,
      description: 'Number of people who can sign up with it. Null for any number.',
    }),
  }),
});

builder.objectFields(Instance, (t) => ({
  registration: t.field({
    type: RegistrationMode,
    description: 'People who may sign up. Callers need not be signed in.',
    resolve: (_instance, _args, { app }) => MODES[app.config.registration],
  }),
  invitations: t.field({
    type: [SignUpInvitation],
    description: `Links to sign up, newest first, at most ${MAX_INVITATIONS}. Only for operators; everyone else gets NOT_FOUND.`,
    resolve: (_instance, _args, { call, budget }) => budget.read(MAX_INVITATIONS, () => listInvitations(call)),
  }),
}));

const CreateInvitationInput = builder.inputType('OperatorCreateInvitationInput', {
  description: 'A new invitation.',
  fields: (t) => ({
    note: t.string({ description: 'Note for operators, at most 100 characters, such as whom it is for.' }),
    maxUses: t.int({ description: 'Number of people, 1–10,000. Default: 1. Null for any number.' }),
    expiresInDays: t.int({ description: '1–365 days. Default: 7. Null for an invitation that does not expire.' }),
  }),
});
const InvitationIdInput = builder.inputType('OperatorInvitationIdInput', {
  description: 'Identifies an invitation.',
  fields: (t) => ({ invitationId: t.id(idOf.invitation) }),
});

const CreateInvitationPayload = builder.objectRef<MadeInvitation>('OperatorCreateInvitationPayload').implement({
  description: 'The new invitation.',
  fields: (t) => ({
    invitation: t.field({
      type: SignUpInvitation,
      description: 'The new invitation.',
      resolve: ({ invitation }) => invitation,
    }),
    url: t.exposeString('url', { description: 'Link to the page to sign up. Shown only once.' }),
  }),
});

builder.mutationFields((t) => ({
  operatorCreateInvitation: t.field({
    ...FOR_OPERATORS,
    type: CreateInvitationPayload,
    description: 'Creates a link with which people can sign up. For moderators.',
    args: { input: t.arg(inputOf(CreateInvitationInput)) },
    resolve: (_root, { input }, { call }) => createInvitation(call, parseInput(NewInvitation, input)),
  }),
  operatorRevokeInvitation: t.field({
    ...FOR_OPERATORS,
    type: DeletedPayload,
    description: 'Makes an invitation invalid. Accounts that used it stay. For moderators.',
    args: { input: t.arg(inputOf(InvitationIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.invitationId, 'invitationId');
      await revokeInvitation(call, id);
      return { id };
    },
  }),
}));
