import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parse, specifiedRules, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
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

/** The documents as the pages send them. */
function documentsIn(text: string): string[] {
  if (!text.includes('../document.js')) return [];
  return [...text.matchAll(/^ {2}'(.*)',$/gm)].map(([, document = '']) => document.replaceAll("\\'", "'"));
}

describe('what the portal asks GraphQL', () => {
  it('is written as `npm run schema` writes it', async () => {
    const texts = await portalFiles();
    expect(filesBelow(GENERATED).sort()).toEqual([...texts.keys()].sort());
    for (const [path, text] of texts) expect(readFileSync(join(GENERATED, path), 'utf8'), path).toBe(text);
  });

  it('is valid, and within the limits of every document', async () => {
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
});
