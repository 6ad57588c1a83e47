import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, it } from 'vitest';

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema.graphql'), 'utf8'));

interface Described {
  /** Schema coordinate, such as `Query.user(id:)`. */
  coordinate: string;
  description: string | null | undefined;
}

type Field = GraphQLField<unknown, unknown> | GraphQLInputField;

function argsOf(field: Field): readonly GraphQLArgument[] {
  return 'args' in field ? field.args : [];
}

function fieldsOf(type: GraphQLNamedType): Field[] {
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) return Object.values(type.getFields());
  return [];
}

function partsOf(type: GraphQLNamedType): Described[] {
  const fields = fieldsOf(type).flatMap((field) => {
    const coordinate = `${type.name}.${field.name}`;
    const args = argsOf(field).map(({ name, description }) => ({ coordinate: `${coordinate}(${name}:)`, description }));
    return [{ coordinate, description: field.description }, ...args];
  });
  const values = isEnumType(type) ? type.getValues() : [];
  return [
    { coordinate: type.name, description: type.description },
    ...fields,
    ...values.map(({ name, description }) => ({ coordinate: `${type.name}.${name}`, description })),
  ];
}

const described = Object.values(schema.getTypeMap())
  .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
  .flatMap(partsOf);

it('every type, field, argument, input field and enum value of the schema has a description', () => {
  const missing = described.filter(({ description }) => !description?.trim());
  expect(missing.map(({ coordinate }) => coordinate)).toEqual([]);
});
