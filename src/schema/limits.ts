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

/** Each mutation counts as a request, even if one operation has several. */
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
 * Counts every field's values, introspection included. Stops resolving when the budget is exceeded. Each subscription
 * event has its
 * own budget.
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

/** Returns the value, or a promise if the operation has to yield. */
type Counter = (budget: OperationBudget, value: unknown) => unknown;

type Field = GraphQLField<unknown, GraphqlContext>;

function limitField(field: Field, count: Counter): void {
  const resolve: GraphQLFieldResolver<unknown, GraphqlContext> = field.resolve ?? defaultFieldResolver;
  const isNullable = !isNonNullType(field.type);
  field.resolve = (root, args, context: GraphqlContext | undefined, info) => {
    // Introspection within the process has no context.
    if (!context) return resolve(root, args, context as never, info);
    const { budget } = context;
    if (budget.refusal) return isNullable ? null : Promise.reject(budget.refusal);
    try {
      const value: unknown = resolve(root, args, context, info);
      return value instanceof Promise ? value.then((late) => count(budget, late)) : count(budget, value);
    } catch (error) {
      // Rejects instead of throwing: after a throw, the executor abandons the list, and later rejections in it would be
      // unhandled and end the process.
      return Promise.reject(error);
    }
  };
}

function counterOf(type: GraphQLObjectType, field: Field): Counter {
  if (isLeafType(getNamedType(field.type))) return takeValue;
  // The entries were counted as edges.
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

/** The root field is resolved first for each event. It renews the budget and pays what is due. */
function beginAnew(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (root, args, context, info) => {
    context.budget = context.budget.renewed();
    const turn = context.budget.turn();
    return turn ? turn.then(() => resolve(root, args, context, info)) : resolve(root, args, context, info);
  };
}
