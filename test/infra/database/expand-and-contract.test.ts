import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isHigher, versionsInTable } from '../../../scripts/release/versions.js';
import { needing } from '../../harness/skipping.js';
import { findVersionBefore, migrationsOf } from '../../harness/version-before.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'prisma/migrations/postgresql');

/**
 * Steps that remove what the version before does not use any more, with the reason. Remove them after the next release.
 */
const CONTRACT_STEPS: Record<string, string> = {};

/** After these, the version before cannot use a table that it knows. */
const BREAKS: [pattern: RegExp, fault: string][] = [
  [/^DROP TABLE/, 'drops a table'],
  [/\bDROP COLUMN\b/, 'drops a column'],
  [/\bRENAME\b/, 'renames'],
  [/\bALTER COLUMN "\w+" (SET DATA )?TYPE\b/, 'changes the type of a column'],
  [/^ALTER TYPE/, 'changes an enum, whose new values the version before cannot read'],
  [/^DROP TYPE/, 'drops an enum'],
  [/\bSET NOT NULL\b/, 'requires a column'],
  [/\bDROP DEFAULT\b/, 'drops a default'],
  [/\bADD COLUMN\s+"\w+"(?![^,]*\bDEFAULT\b)[^,]*\bNOT NULL\b/, 'adds a required column without a default'],
  [/\bADD CONSTRAINT\b/, 'adds a constraint'],
  [/^CREATE UNIQUE INDEX/, 'adds a unique index'],
];

/** `migration: fault in statement`, for each statement that needs a second release. */
function faultsOf(migrations: { name: string; sql: string }[]): string[] {
  const statements = migrations.flatMap(({ name, sql }) =>
    sql
      .replaceAll(/^--.*$/gm, '')
      .split(';')
      .map((statement) => ({ name, statement: statement.trim().replaceAll(/\s+/g, ' ') })),
  );
  const made = new Set(statements.flatMap(({ statement }) => /^CREATE TABLE "(\w+)"/.exec(statement)?.[1] ?? []));
  return statements
    .filter(({ statement }) => !made.has(tableOf(statement)))
    .flatMap(({ name, statement }) =>
      BREAKS.filter(([pattern]) => pattern.test(statement)).map(([, fault]) => `${name}: ${fault}: ${statement}`),
    );
}

function tableOf(statement: string): string {
  return /^(?:(?:ALTER|DROP) TABLE|CREATE UNIQUE INDEX "\w+" ON) "(\w+)"/.exec(statement)?.[1] ?? '';
}

describe('the check of migrations', () => {
  it.each([
    'DROP TABLE "Message"',
    'ALTER TABLE "Message" DROP COLUMN "content"',
    'ALTER TABLE "Message" ADD COLUMN "a" TEXT,\nDROP COLUMN "content"',
    'ALTER TABLE "Message" RENAME COLUMN "content" TO "text"',
    'ALTER TABLE "Message" RENAME TO "Post"',
    'ALTER TABLE "Message" ALTER COLUMN "content" SET DATA TYPE BIGINT',
    'ALTER TYPE "OperatorRole" ADD VALUE \'READER\'',
    'ALTER TABLE "Message" ALTER COLUMN "content" SET NOT NULL',
    'ALTER TABLE "Message" ALTER COLUMN "content" DROP DEFAULT',
    'ALTER TABLE "Message" ADD COLUMN     "a" TEXT NOT NULL',
    'ALTER TABLE "Message" ADD COLUMN "a" TEXT NOT NULL DEFAULT \'\',\nADD COLUMN "b" TEXT NOT NULL',
    'ALTER TABLE "Message" ADD CONSTRAINT "a_fkey" FOREIGN KEY ("a") REFERENCES "User"("id")',
    'CREATE UNIQUE INDEX "a_key" ON "Message"("a")',
  ])('refuses %s', (sql) => {
    expect(faultsOf([{ name: 'change', sql: `-- Change\n${sql};\n` }])).toHaveLength(1);
  });

  it.each([
    'ALTER TABLE "Message" ADD COLUMN "a" TEXT',
    'ALTER TABLE "Message" ADD COLUMN "a" BOOLEAN NOT NULL DEFAULT false',
    'ALTER TABLE "Message" ALTER COLUMN "a" DROP NOT NULL',
    'CREATE INDEX "a_idx" ON "Message"("a")',
    'CREATE TABLE "New" ("id" BIGINT NOT NULL);\nCREATE UNIQUE INDEX "id_key" ON "New"("id")',
    'CREATE TABLE "New" ("id" BIGINT NOT NULL);\nALTER TABLE "New" ADD CONSTRAINT "a" CHECK ("id" > 0)',
  ])('accepts %s', (sql) => {
    expect(faultsOf([{ name: 'change', sql: `${sql};` }])).toEqual([]);
  });
});

const before = findVersionBefore();

describe.skipIf(before.missing)(needing(before.missing, 'the migrations after the last release'), () => {
  const released = before.missing === null ? migrationsOf(before.commit) : [];
  const names = readdirSync(FOLDER).filter((name) => !released.includes(name));
  const read = (name: string) => readFileSync(join(FOLDER, name, 'migration.sql'), 'utf8');

  it('leave the tables usable for the last release', () => {
    const checked = names.filter((name) => !(name in CONTRACT_STEPS));
    expect(faultsOf(checked.map((name) => ({ name, sql: read(name) })))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(Object.keys(CONTRACT_STEPS)));
  });

  it('do not change those of the last release', () => {
    expect(readdirSync(FOLDER)).toEqual(expect.arrayContaining(released));
  });

  it('have a row in docs/upgrading.md', () => {
    if (before.missing !== null || names.length === 0) return;
    const [newest = ''] = versionsInTable(readFileSync(join(ROOT, 'docs/upgrading.md'), 'utf8'));
    expect(isHigher(newest, before.version)).toBe(true);
  });
});
