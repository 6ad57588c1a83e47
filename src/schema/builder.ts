import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import ValidationPlugin from '@pothos/plugin-validation';
import { type GraphQLOutputType, getNamedType, getNullableType, isLeafType, isListType } from 'graphql';
import { type Actor, machineRefused, sessionRequired } from '../domain/call.js';
import { DomainError, invalidInput } from '../domain/errors.js';
import type { GraphqlContext } from './context.js';
import type { Upload } from './forms.js';
import type PrismaTypes from './generated/pothos.js';
import { getDatamodel } from './generated/pothos.js';

/** 1 per object, multiplied by the sizes of the pages and lists around it. */
const MAX_COST = 8_000;
/** Assumed length of a list without a size argument. */
export const LIST_LENGTH = 10;

function costOf(type: GraphQLOutputType): { field: number; multiplier: number } {
  const isList = isListType(getNullableType(type));
  return { field: isLeafType(getNamedType(type)) ? 0 : 1, multiplier: isList ? LIST_LENGTH : 1 };
}

export const builder = new SchemaBuilder<{
  Context: GraphqlContext;
  PrismaTypes: PrismaTypes;
  AuthScopes: { session: boolean; person: boolean; operator: boolean };
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    File: { Input: Upload; Output: never };
  };
}>({
  plugins: [ScopeAuthPlugin, ValidationPlugin, ComplexityPlugin, PrismaPlugin, RelayPlugin],
  defaultFieldNullability: false,
  prisma: { client: (context) => context.app.db.reader, dmmf: getDatamodel(), maxConnectionSize: 100 },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    edgesFieldOptions: {
      nullable: false,
      complexity: { field: 0, multiplier: 1 },
      description: "The page's entries, in the order of the list.",
    },
    nodeFieldOptions: { nullable: false, description: 'The entry itself.' },
    cursorFieldOptions: { description: 'Position of the entry. Pass it as `after` or `before`.' },
    cursorType: 'String',
    defaultConnectionTypeOptions: { description: 'A page of a list.' },
    defaultEdgeTypeOptions: { description: 'An entry of a page, with its cursor.' },
    pageInfoFieldOptions: { description: 'Cursors of the page, and whether there are more entries.' },
    pageInfoTypeOptions: { description: 'Position of a page in its list.' },
    hasNextPageFieldOptions: {
      description: 'Whether more entries follow. When paging backward, whether `before` is set.',
    },
    hasPreviousPageFieldOptions: {
      description: 'Whether more entries precede. When paging forward, whether `after` is set.',
    },
    startCursorFieldOptions: { description: 'Cursor of the first entry. Null if the page is empty.' },
    endCursorFieldOptions: { description: 'Cursor of the last entry. Null if the page is empty.' },
  },
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: ({ call: { actor } }) => {
      const session = actor.kind === 'person' && actor.personalTokenId === undefined;
      return {
        session,
        person: actor.kind === 'person',
        operator: session || actor.kind === 'machine' || (actor.kind === 'person' && actor.forOperator === true),
      };
    },
    unauthorizedError: (_parent, { call }) => refusalOf(call.actor),
  },
  validation: {
    validationError: ({ issues }) =>
      invalidInput(
        ...issues.map(({ path = [], message }) => ({
          path: path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
          code: 'BASE_TYPE_INVALID',
          message,
        })),
      ),
  },
  complexity: {
    fieldComplexity: (_args, _context, { type }) => costOf(type),
    limit: { complexity: MAX_COST },
    complexityError: (_kind, { complexity }) =>
      invalidInput({
        path: '',
        code: 'QUERY_TOO_COSTLY',
        message: `This operation costs ${complexity}; the limit is ${MAX_COST}. Request fewer fields or smaller pages.`,
      }),
  },
});

builder.queryType({
  description:
    'Reads data. All fields except `me` and `instance` require a signed-in caller. Personal tokens can read applications and the commands that their owner can run; of servers, channels and teams they see only names.',
  authScopes: { session: true },
});
builder.mutationType({
  description:
    'Changes data as the signed-in caller. Each field counts as one request against the rate limit. Personal tokens can change applications and run commands, and those for operators can act on the instance.',
  authScopes: { session: true },
});
builder.subscriptionType({
  description: 'Sends values over a WebSocket or server-sent events until the caller signs out or loses access.',
  authScopes: { session: true },
});

function refusalOf({ kind }: Actor): DomainError {
  if (kind === 'person') return sessionRequired();
  return kind === 'machine' ? machineRefused() : new DomainError('UNAUTHENTICATED');
}

/** Options of a type that personal tokens reach from an application, but which shows more than applications. */
export const NEEDS_SESSION = { authScopes: { session: true } } as const;

/** Options of a root field, or of a field of a type that needs a session, for personal tokens too. */
export const WITH_PERSONAL_TOKEN = { skipTypeScopes: true, authScopes: { person: true } } as const;

/**
 * Options of a mutation of operators, which the command line of the machine and personal tokens for operators may use,
 * too. The domain checks the role.
 */
export const FOR_OPERATORS = { skipTypeScopes: true, authScopes: { operator: true } } as const;

export type InputFields = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]['fields']>>[0];

/** Options of the argument that all mutations have. */
export function inputOf<Input>(type: Input) {
  return { type, required: true, description: 'Parameters of the mutation.' } as const;
}
