import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import { Lazy } from '../src/infra/caching/lazy.js';
import type { Dialect } from '../src/infra/database/ledger.js';

const NO_FILTERS = { externalTables: [], externalEnums: [] };

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
  const Engine = await schemaEngine.get();
  const datamodels: [string, string][] = [[target.path, target.content]];
  const engine = await Engine.new({ datamodels }, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
  try {
    const { stdout } = await engine.diff({
      from: before === null ? { tag: 'empty' } : { tag: 'schemaDatamodel', files: [file(before)] },
      to: { tag: 'schemaDatamodel', files: [target] },
      script: true,
      exitCode: null,
      filters: NO_FILTERS,
    });
    return stdout === null || stdout.trim() === '' || stdout.includes('-- This is an empty migration.') ? null : stdout;
  } finally {
    engine.free();
  }
}

interface SchemaEngineGlue {
  SchemaEngine: typeof SchemaEngine;
  __wbg_set_wasm(exports: Record<string, unknown>): void;
}

/** The glue can hold one instance only. */
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
