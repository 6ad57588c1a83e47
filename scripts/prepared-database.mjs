// Builds `dist/prepared.db`: a SQLite database with all migrations, with which a sandbox starts in less than a second.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { migrate } from '../dist/infra/database/migrations.js';
import { createLogger } from '../dist/infra/observability/logger.js';

const file = resolve(import.meta.dirname, '../dist/prepared.db');
rmSync(file, { force: true });
await migrate('sqlite', new PrismaBetterSqlite3({ url: `file:${file}` }), await createLogger('silent'));
