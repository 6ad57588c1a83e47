import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';
import { Lazy } from '../caching/lazy.js';
import type { Logger } from '../observability/logger.js';
import { isUpToDate, type Migration, readLedger, requireUsableLedger } from './ledger.js';

export type Dialect = 'sqlite' | 'postgresql';

export function migrationsFolder(dialect: Dialect): string {
  return join(projectRoot(), 'prisma/migrations', dialect);
}

/** The nearest parent with a `package.json`: a bundled module has another depth. */
function projectRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

const NO_FILTERS = { externalTables: [], externalEnums: [] };

/**
 * Applies missing migrations and logs them. The engine loads slowly, so an up-to-date ledger skips it.
 * @throws {StartError} if a newer version migrated the database, or a migration is unfinished or different
 */
export async function migrate(
  dialect: Dialect,
  factory: SqlMigrationAwareDriverAdapterFactory,
  log: Logger,
): Promise<void> {
  const ledger = await readLedger(factory);
  const known = readMigrations(dialect);
  if (ledger !== null) {
    requireUsableLedger(ledger, known);
    if (isUpToDate(ledger, known)) return;
  }
  const startedAt = performance.now();
  const migrations = await applyMigrations(dialect, factory);
  const ms = Math.round(performance.now() - startedAt);
  log.info({ migrations, ms }, `Database migrated: ${migrations.length} applied in ${ms} ms`);
}

/**
 * Uses Prisma's engine and ledger (`_prisma_migrations`).
 * @returns names of the applied migrations
 */
export async function applyMigrations(
  dialect: Dialect,
  factory: SqlMigrationAwareDriverAdapterFactory,
): Promise<string[]> {
  return withSchemaEngine(factory, undefined, async (engine) => {
    const applied = await engine.applyMigrations({ migrationsList: listMigrations(dialect), filters: NO_FILTERS });
    return applied.appliedMigrationNames;
  });
}

/**
 * @param before schema of the last migration; null before the first
 * @returns null if the schemas do not differ
 */
export async function diffSchemas(
  dialect: Dialect,
  factory: SqlMigrationAwareDriverAdapterFactory,
  before: string | null,
  after: string,
): Promise<string | null> {
  const file = (content: string) => ({
    path: 'schema.prisma',
    content: content.replace('provider = "sqlite"', `provider = "${dialect}"`),
  });
  const target = file(after);
  return withSchemaEngine(factory, [[target.path, target.content]], async (engine) => {
    const { stdout } = await engine.diff({
      from: before === null ? { tag: 'empty' } : { tag: 'schemaDatamodel', files: [file(before)] },
      to: { tag: 'schemaDatamodel', files: [target] },
      script: true,
      exitCode: null,
      filters: NO_FILTERS,
    });
    return stdout === null || stdout.trim() === '' || stdout.includes('-- This is an empty migration.') ? null : stdout;
  });
}

async function withSchemaEngine<T>(
  factory: SqlMigrationAwareDriverAdapterFactory,
  datamodels: [string, string][] | undefined,
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const EngineClass = await schemaEngine.get();
  const connections = closable(factory);
  const engine = await EngineClass.new({ datamodels }, () => {}, bindMigrationAwareSqlAdapterFactory(connections));
  try {
    return await use(engine);
  } finally {
    engine.free();
    await connections.close();
  }
}

/** Tracks connections: the engine never closes them, and its advisory lock lives as long as they do. */
function closable(
  factory: SqlMigrationAwareDriverAdapterFactory,
): SqlMigrationAwareDriverAdapterFactory & { close(): Promise<void> } {
  const open: SqlDriverAdapter[] = [];
  const tracked = async (connecting: Promise<SqlDriverAdapter>) => {
    const adapter = await connecting;
    open.push(adapter);
    return adapter;
  };
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: () => tracked(factory.connect()),
    connectToShadowDb: () => tracked(factory.connectToShadowDb()),
    async close() {
      await Promise.all(open.map((adapter) => adapter.dispose()));
    },
  };
}

interface SchemaEngineGlue {
  SchemaEngine: typeof SchemaEngine;
  __wbg_set_wasm(exports: Record<string, unknown>): void;
}

const schemaEngine = new Lazy(instantiateSchemaEngine);

/** Node 20 cannot import WebAssembly modules, so this replaces the entry point of the package. */
async function instantiateSchemaEngine(): Promise<typeof SchemaEngine> {
  const gluePath = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const glue: SchemaEngineGlue & WebAssembly.ModuleImports = await import(gluePath);
  const binary = readFileSync(gluePath.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(binary, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start === 'function') start();
  return glue.SchemaEngine;
}

function listMigrations(dialect: Dialect): MigrationList {
  return {
    baseDir: migrationsFolder(dialect),
    lockfile: { path: 'migration_lock.toml', content: `provider = "${dialect}"\n` },
    shadowDbInitScript: '',
    migrationDirectories: readMigrations(dialect).map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

/** Oldest first. */
function readMigrations(dialect: Dialect): Migration[] {
  const folder = migrationsFolder(dialect);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
