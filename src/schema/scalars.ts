import { GraphQLError, Kind, type ValueNode } from 'graphql';
import { JSON_BOUNDS } from '../infra/network/bounded-json.js';
import { builder } from './builder.js';
import { Upload } from './forms.js';

builder.scalarType('DateTime', {
  description: 'A time, as an ISO 8601 string in UTC.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => {
    const moment = typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
    if (Number.isNaN(moment.getTime())) throw new GraphQLError('DateTime must be an ISO 8601 string.');
    return moment;
  },
});

builder.scalarType('JSON', {
  description: 'Any JSON value. The description of each field states its format.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => literalValue(node, variables ?? {}),
});

builder.scalarType('File', {
  description: 'A file, uploaded as described in the GraphQL multipart request specification.',
  serialize: () => {
    throw new GraphQLError('File can be used only as input.');
  },
  parseValue: (value) => {
    if (value instanceof Upload) return value;
    throw new GraphQLError('Upload a File as described in the GraphQL multipart request specification.');
  },
});

/** @param depth remaining nesting levels; literals have the same limit as variables */
function literalValue(node: ValueNode, variables: Record<string, unknown>, depth = JSON_BOUNDS.depth): unknown {
  const isNested = node.kind === Kind.OBJECT || node.kind === Kind.LIST;
  if (isNested && depth === 0) throw new GraphQLError(`JSON may nest at most ${JSON_BOUNDS.depth} levels deep.`);
  const literalPart = (part: ValueNode) => literalValue(part, variables, depth - 1);
  switch (node.kind) {
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((field) => [field.name.value, literalPart(field.value)]));
    case Kind.LIST:
      return node.values.map(literalPart);
    case Kind.VARIABLE:
      return variables[node.name.value];
    case Kind.NULL:
      return null;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    default:
      return node.value;
  }
}
