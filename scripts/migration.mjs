// `npm run migration -- NAME`: writes the SQL from the last migration's schema to prisma/schema.prisma, for both
// dialects. `prisma/migrations/schema.prisma` has the schema of the last migration. It needs no database server.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { migrationsFolder } from '../dist/infra/database/migrations.js';
import { offlinePostgres } from './offline-postgres.ts';
import { diffSchemas } from './schema-engine.ts';

const name = process.argv[2];
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('usage: npm run migration -- NAME   (lower-case letters, digits and underscores)');
  process.exit(1);
}

const root = resolve(import.meta.dirname, '..');
const snapshotPath = join(root, 'prisma/migrations/schema.prisma');
const before = existsSync(snapshotPath) ? readFileSync(snapshotPath, 'utf8') : null;
const after = readFileSync(join(root, 'prisma/schema.prisma'), 'utf8');
const folder = `${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}_${name}`;

const adapters = {
  sqlite: new PrismaBetterSqlite3({ url: ':memory:' }),
  postgresql: offlinePostgres(),
};
for (const [dialect, adapter] of Object.entries(adapters)) {
  const sql = await diffSchemas(dialect, adapter, before, after);
  if (sql === null) {
    console.log(`${dialect}: no change`);
    continue;
  }
  const path = join(migrationsFolder(dialect), folder);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'migration.sql'), sql);
  console.log(`${dialect}: ${join(path, 'migration.sql')}`);
}
writeFileSync(snapshotPath, after);
