import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { onPostgres } from './tiers.js';

const ROOT = resolve(import.meta.dirname, '..');
const FILES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);

function alternativesOf(pattern: string): string[] {
  const [group, names] = /\{([^}]*)\}/.exec(pattern) ?? [];
  return group && names ? names.split(',').flatMap((name) => alternativesOf(pattern.replace(group, name))) : [pattern];
}

const matches = (file: string, pattern: string) =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(file);

const patterns = onPostgres.flatMap(alternativesOf);

test('every alternative of the PostgreSQL tier names a file', () => {
  expect(patterns.filter((pattern) => !FILES.some((file) => matches(file, pattern)))).toEqual([]);
});

test('every file with tests that need PostgreSQL, or the newer Node.js that runs it, is in its tier', () => {
  const needing = FILES.filter((file) =>
    /\b(noPostgres|missingForSeveralProcesses|noZstd)\b/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(needing.length).toBeGreaterThan(20);
  expect(needing.filter((file) => !patterns.some((pattern) => matches(file, pattern)))).toEqual([]);
});
