import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { printedSchema, schema } from '../../src/schema/index.js';

const contract = buildSchema(readFileSync(join(import.meta.dirname, 'contract.graphql'), 'utf8'));

const shared = Object.values(schema.getTypeMap())
  .filter((type) => !type.name.startsWith('__') && contract.getType(type.name))
  .map((type) => type.name);

function shapeOf(field: GraphQLField<unknown, unknown>, args: readonly string[]): string {
  const shown = field.args.filter((arg) => args.includes(arg.name)).map((arg) => `${arg.name}: ${arg.type}`);
  return `(${shown.sort().join(', ')}): ${field.type}`;
}

function compareObjects(ours: GraphQLObjectType, theirs: GraphQLObjectType): void {
  for (const field of Object.values(ours.getFields())) {
    const expected = theirs.getFields()[field.name];
    if (!expected) continue;
    const args = expected.args.map((arg) => arg.name);
    expect(`${field.name}${shapeOf(field, args)}`).toBe(`${field.name}${shapeOf(expected, args)}`);
    const further = field.args.filter((arg) => !args.includes(arg.name));
    expect(further.filter((arg) => String(arg.type).endsWith('!'))).toEqual([]);
  }
}

function compareInputs(ours: GraphQLInputObjectType, theirs: GraphQLInputObjectType): void {
  const typeOf = (type: GraphQLInputObjectType, name: string) => String(type.getFields()[name]?.type);
  for (const name of Object.keys(theirs.getFields()))
    expect(`${name}: ${typeOf(ours, name)}`).toBe(`${name}: ${typeOf(theirs, name)}`);
  const further = Object.keys(ours.getFields()).filter((name) => !theirs.getFields()[name]);
  expect(further.filter((name) => typeOf(ours, name).endsWith('!'))).toEqual([]);
}

const NOT_BUILT: string[] = [];

function membersOf(type: GraphQLNamedType): string[] {
  if (isObjectType(type) || isInputObjectType(type)) return Object.keys(type.getFields());
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
}

/** Names of the contract that the schema lacks: `Type`, or `Type.field` if the type exists. */
function missingNames(): string[] {
  return Object.values(contract.getTypeMap()).flatMap((theirs) => {
    const ours = schema.getType(theirs.name);
    if (!ours) return [theirs.name];
    const own = membersOf(ours);
    return membersOf(theirs)
      .filter((member) => !own.includes(member))
      .map((member) => `${theirs.name}.${member}`);
  });
}

describe('the schema', () => {
  it('equals the committed schema.graphql (npm run schema writes it)', () => {
    expect(printedSchema()).toBe(readFileSync(join(import.meta.dirname, '../../schema.graphql'), 'utf8'));
  });

  it.each(shared)('defines %s as the contract does', (name) => {
    const ours = schema.getType(name);
    const theirs = contract.getType(name);
    expect(ours?.constructor.name).toBe(theirs?.constructor.name);
    if (isObjectType(ours) && isObjectType(theirs)) compareObjects(ours, theirs);
    if (isInputObjectType(ours) && isInputObjectType(theirs)) compareInputs(ours, theirs);
    if (isEnumType(ours) && isEnumType(theirs)) {
      const values = (type: typeof ours) =>
        type
          .getValues()
          .map((value) => value.name)
          .sort();
      expect(values(ours)).toEqual(values(theirs));
    }
  });

  it('has no type that the contract does not name', () => {
    const own = Object.values(schema.getTypeMap()).filter(
      (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type) && !contract.getType(type.name),
    );
    expect(own.map((type) => type.name)).toEqual([]);
  });

  it('has every name of the contract, except those that are not built yet', () => {
    expect(missingNames().sort()).toEqual([...NOT_BUILT].sort());
  });
});
