import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import {
  createPersonalToken,
  listPersonalTokens,
  NewPersonalToken,
  type PersonalTokenWithSecret,
  personalTokenHint,
  revokePersonalToken,
} from '../domain/personal-tokens/index.js';
import type { PersonalToken as PersonalTokenRow } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { builder, inputOf } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { idOf, parseId, snowflakeId } from './ids.js';

const { personalTokenDays: days, personalTokensPerPerson } = limits;

const NAME = '1–80 characters.';

const PersonalToken = builder.objectRef<PersonalTokenRow>('PersonalToken').implement({
  description: 'A token of the caller for command-line tools and CI. With it, they can manage applications in GraphQL.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name', { description: NAME }),
    tokenHint: t.string({
      description: 'First and last characters of the token, to recognize it.',
      resolve: personalTokenHint,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time when the token was created.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
    forOperator: t.exposeBoolean('forOperator', {
      description: 'Whether the token can act on the instance, as far as the role of the caller allows.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time from which the token is invalid. Null if it does not expire.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last use, accurate to a minute. Null if it was not used yet.',
    }),
  }),
});

builder.queryField('personalTokens', (t) =>
  t.field({
    type: [PersonalToken],
    description: `The caller's personal tokens, newest first, at most ${personalTokensPerPerson}. Needs a session.`,
    resolve: (_root, _args, { call, budget }) => budget.read(personalTokensPerPerson, () => listPersonalTokens(call)),
  }),
);

const CreatePersonalTokenInput = builder.inputType('CreatePersonalTokenInput', {
  description: 'A new personal token.',
  fields: (t) => ({
    name: t.string({ required: true, description: `${NAME} Shown in the list of tokens.` }),
    expiresInDays: t.int({
      description: `${days.min}–${days.max} days until it expires. Default: ${days.default}. Null for a token that does not expire.`,
    }),
    forOperator: t.boolean({
      description:
        'Whether the token can act on the instance, for `causeway admin`. Default: false. Callers without a role get NOT_FOUND.',
    }),
  }),
});
const PersonalTokenIdInput = builder.inputType('PersonalTokenIdInput', {
  description: 'Identifies a personal token.',
  fields: (t) => ({ personalTokenId: t.id(idOf.personalToken) }),
});

const CreatePersonalTokenPayload = builder.objectRef<PersonalTokenWithSecret>('CreatePersonalTokenPayload').implement({
  description: 'The new personal token.',
  fields: (t) => ({
    personalToken: t.field({
      type: PersonalToken,
      description: 'The new personal token.',
      resolve: ({ personalToken }) => personalToken,
    }),
    token: t.exposeString('token', { description: 'Token for `Authorization: Bearer`. Shown only once.' }),
  }),
});

builder.mutationFields((t) => ({
  createPersonalToken: t.field({
    type: CreatePersonalTokenPayload,
    description: 'Creates a token for command-line tools and CI, and mails the caller. Needs a session.',
    args: { input: t.arg(inputOf(CreatePersonalTokenInput)) },
    resolve: (_root, { input }, { call }) => createPersonalToken(call, parseInput(NewPersonalToken, input)),
  }),
  revokePersonalToken: t.field({
    type: DeletedPayload,
    description: 'Revokes a personal token at once. Needs a session.',
    args: { input: t.arg(inputOf(PersonalTokenIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.personalTokenId, 'personalTokenId');
      await revokePersonalToken(call, id);
      return { id };
    },
  }),
}));
