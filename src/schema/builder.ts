import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import ValidationPlugin from '@pothos/plugin-validation';
import { type GraphQLOutputType, getNamedType, getNullableType, isLeafType, isListType } from 'graphql';
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
  AuthScopes: { signedIn: boolean };
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
    edgesFieldOptions: { nullable: false, complexity: { field: 0, multiplier: 1 } },
    nodeFieldOptions: { nullable: false },
    cursorType: 'String',
  },
  scopeAuth: {
    authScopes: ({ call }) => ({ signedIn: call.actor.kind === 'person' }),
    unauthorizedError: () => new DomainError('UNAUTHENTICATED'),
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

builder.queryType({ authScopes: { signedIn: true } });
builder.mutationType({ authScopes: { signedIn: true } });
builder.subscriptionType({ authScopes: { signedIn: true } });
