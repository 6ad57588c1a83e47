// Generates the SQLite and the PostgreSQL client from one schema. The PostgreSQL schema is the same text with another
// provider and output. It is below node_modules, because it must not be edited.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const prismaCli = createRequire(import.meta.url).resolve('prisma/build/index.js');

const schema = readFileSync(resolve(root, 'prisma/schema.prisma'), 'utf8');
const generatedFolder = resolve(root, 'src/infra/database/generated');
const postgresSchema = schema
  .replace('provider = "sqlite"', 'provider = "postgresql"')
  .replace('../src/infra/database/generated/sqlite', resolve(generatedFolder, 'postgresql'))
  .replace(/generator pothos \{[^}]*\}/, '');
const postgresPath = resolve(root, 'node_modules/.causeway/schema.prisma');
mkdirSync(resolve(postgresPath, '..'), { recursive: true });
writeFileSync(postgresPath, postgresSchema);

for (const path of [resolve(root, 'prisma/schema.prisma'), postgresPath]) {
  execFileSync(process.execPath, [prismaCli, 'generate', '--no-hints'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PATH: [resolve(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      CAUSEWAY_PRISMA_SCHEMA: path,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  });
}
