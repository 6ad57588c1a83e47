// `npm run schema`: writes schema.graphql, the portal's contract, from the types in src/schema.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { printedSchema } from '../dist/schema/index.js';

writeFileSync(resolve(import.meta.dirname, '../schema.graphql'), printedSchema());
