import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import { takeRequest } from '../domain/rate-limits.js';
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
