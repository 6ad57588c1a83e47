import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  TypeNameMetaFieldDef,
} from 'graphql';
import { takeRequest } from '../domain/rate-limits.js';
import type { OperationBudget } from './budget.js';
import type { GraphqlContext } from './context.js';

/** Counts every mutation among all that its caller asks for: an operation that holds several is as many. */
export function limitMutations(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve = defaultFieldResolver } = field;
    field.resolve = async (root, args, context: GraphqlContext, info) => {
      if (context.call.actor.kind !== 'anonymous') await takeRequest(context.call);
      return resolve(root, args, context, info);
    };
  }
  return schema;
}

/**
 * Counts what every field makes, those of introspection included, against the budget of its operation. The fields of an
 * operation that was stopped are not resolved any more. Each event of a subscription has a budget of its own.
 */
export function limitOperations(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) limitField(field, counterOf(type, field));
  }
  limitField(TypeNameMetaFieldDef, takeValue);
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) beginAnew(field);
  return schema;
}

/** Counts what a field resolved to, and answers with it, at once or when its turn comes. */
type Counter = (budget: OperationBudget, value: unknown) => unknown;

type Field = GraphQLField<unknown, GraphqlContext>;

function limitField(field: Field, count: Counter): void {
  const resolve: GraphQLFieldResolver<unknown, GraphqlContext> = field.resolve ?? defaultFieldResolver;
  const isNullable = !isNonNullType(field.type);
  field.resolve = (root, args, context: GraphqlContext | undefined, info) => {
    // Who looks at the schema within the process has no context.
    if (!context) return resolve(root, args, context as never, info);
    const { budget } = context;
    if (budget.refusal) return isNullable ? null : Promise.reject(budget.refusal);
    try {
      const value: unknown = resolve(root, args, context, info);
      return value instanceof Promise ? value.then((late) => count(budget, late)) : count(budget, value);
    } catch (error) {
      // Not thrown: the executor would leave the list this stands in, and whatever fails later in other entries of it would
      // be heard by nobody, which ends the process.
      return Promise.reject(error);
    }
  };
}

function counterOf(type: GraphQLObjectType, field: Field): Counter {
  if (isLeafType(getNamedType(field.type))) return takeValue;
  // The entries of a connection were counted as its edges.
  return type.name.endsWith('Edge') ? (_budget, value) => value : takeObjects;
}

function takeValue(budget: OperationBudget, value: unknown): unknown {
  budget.takeValue(value);
  return value;
}

function takeObjects(budget: OperationBudget, value: unknown): unknown {
  if (!Array.isArray(value)) {
    if (value !== null && value !== undefined) budget.takeObjects(1);
    return value;
  }
  budget.takeObjects(value.length);
  const turn = budget.turn();
  return turn === null ? value : turn.then(() => value);
}

/** The root field of a subscription is resolved once for each event, before all others; what is due is paid before it. */
function beginAnew(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (root, args, context, info) => {
    context.budget = context.budget.renewed();
    const turn = context.budget.turn();
    return turn ? turn.then(() => resolve(root, args, context, info)) : resolve(root, args, context, info);
  };
}
