// `npm run schema`: writes schema.graphql, the portal's contract, from the types in src/schema, and the generated files
// of the portal.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { printedSchema } from '../dist/schema/index.js';
import { portalFiles } from './portal-files.mjs';

const root = resolve(import.meta.dirname, '..');
writeFileSync(join(root, 'schema.graphql'), printedSchema());
const generated = join(root, 'portal/src/gql');
const texts = await portalFiles();
rmSync(generated, { recursive: true, force: true });
for (const [path, text] of texts) {
  const file = join(generated, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
