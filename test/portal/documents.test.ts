import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  specifiedRules,
  typeFromAST,
  validate,
} from 'graphql';
import { formatDocument } from 'urql';
import { describe, expect, it } from 'vitest';
import { Upload } from '../../src/schema/forms.js';
import { schema } from '../../src/schema/index.js';
import { limitAliases, limitDepth } from '../../src/schema/rules.js';

const { portalFiles } = (await import('../../scripts/portal-files.mjs' as string)) as {
  portalFiles(): Promise<Map<string, string>>;
};

const GENERATED = resolve(import.meta.dirname, '../../portal/src/gql');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function documentsIn(text: string): string[] {
  if (!text.includes('../document.js')) return [];
  return [...text.matchAll(/^ {2}'(.*)',$/gm)].map(([, document = '']) => document.replaceAll("\\'", "'"));
}

/** The smallest value of a type, except that an `Int` is 50, the page size of the portal. */
function smallestOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return smallestOf(type.ofType);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return Object.fromEntries(required.map((field) => [field.name, smallestOf(field.type)]));
  }
  if (type.name === 'File') return new Upload('file', () => Promise.reject(new Error('there is no file')));
  return type.name === 'Boolean' ? true : type.name === 'Int' ? 50 : '1';
}

function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  const required = variableDefinitions.filter(({ type }) => type.kind === Kind.NON_NULL_TYPE);
  return Object.fromEntries(
    required.map(({ variable, type }) => {
      const input = typeFromAST(schema, type);
      return [variable.name.value, isInputType(input) ? smallestOf(input) : null];
    }),
  );
}

function operationIn({ definitions }: DocumentNode): OperationDefinitionNode {
  const operation = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (!operation) throw new Error('a document without an operation');
  return operation;
}

describe('the GraphQL documents of the portal', () => {
  it('are equal to the output of `npm run schema`', async () => {
    const texts = await portalFiles();
    expect(filesBelow(GENERATED).sort()).toEqual([...texts.keys()].sort());
    for (const [path, text] of texts) expect(readFileSync(join(GENERATED, path), 'utf8'), path).toBe(text);
  });

  it('are valid, and within the limits of every document', async () => {
    const texts = [...(await portalFiles()).values()];
    const documents = texts.flatMap(documentsIn);
    expect(documents.length).toBeGreaterThan(5);
    for (const document of documents) {
      const errors = validate(schema, parse(document), [...specifiedRules, limitDepth, limitAliases]);
      expect(
        errors.map(({ message }) => message),
        document.slice(0, 60),
      ).toEqual([]);
    }
  });

  it('cost little of what one operation may cost, with the type names that the cache of the pages adds', async () => {
    const texts = [...(await portalFiles()).values()];
    const costs = texts.flatMap(documentsIn).map((text) => {
      const document = parse(print(formatDocument(parse(text) as Parameters<typeof formatDocument>[0])));
      const operation = operationIn(document);
      const { complexity, depth } = complexityFromQuery(document, { schema, variables: variablesOf(operation) });
      return { name: operation.name?.value, complexity, depth };
    });
    expect(costs.filter(({ complexity, depth }) => complexity > 1_500 || depth > 8)).toEqual([]);
  });
});
