import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/infra/database/migrations.js';
import { postgresForMigrations } from '../../src/infra/database/postgres.js';
import { createLogger } from '../../src/infra/observability/logger.js';
import { dropCopies, makeTemplate, throwAwayDatabase } from './databases.js';

/** A database with all migrations and no rows, for copies: on the PostgreSQL server under test, or as a SQLite file. */
export type Template = { database: string } | { file: string };

declare module 'vitest' {
  interface ProvidedContext {
    template: Template;
  }
}

const silent = await createLogger('silent');

/** Shared by the projects of a run, each of which loads this file. */
const shared = globalThis as { templateOfRun?: { making: Promise<Made>; users: number } };

/**
 * Migrates one database for the whole run. Servers under test begin with a copy of it and start in a fraction of the
 * time, because all migrations take a while.
 */
export default async function provideTemplate({ provide }: TestProject): Promise<() => Promise<void>> {
  shared.templateOfRun ??= { making: makeTemplateOfRun(), users: 0 };
  const run = shared.templateOfRun;
  run.users += 1;
  const { template, drop } = await run.making;
  provide('template', template);
  return async () => {
    run.users -= 1;
    if (run.users === 0) await drop();
  };
}

async function makeTemplateOfRun(): Promise<Made> {
  return (await postgresTemplate()) ?? (await sqliteTemplate());
}

interface Made {
  template: Template;
  drop(): Promise<void>;
}

async function postgresTemplate(): Promise<Made | null> {
  const database = await throwAwayDatabase();
  if (!database) return null;
  await migrate('postgresql', postgresForMigrations(database.url), silent);
  await makeTemplate(database);
  const drop = async () => {
    await dropCopies(database.name);
    await database.drop();
  };
  return { template: { database: database.name }, drop };
}

async function sqliteTemplate(): Promise<Made> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-template-'));
  const file = join(folder, 'causeway.db');
  await migrate('sqlite', new PrismaBetterSqlite3({ url: `file:${file}` }), silent);
  return { template: { file }, drop: () => rm(folder, { recursive: true }) };
}
