import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { describe, expect, it } from 'vitest';
import { offlinePostgres } from '../../../scripts/offline-postgres.js';
import { diffSchemas } from '../../../scripts/schema-engine.js';
import { noPostgres } from '../../harness/interleave.js';
import { needing } from '../../harness/skipping.js';

const prisma = join(import.meta.dirname, '../../../prisma');
const schema = readFileSync(join(prisma, 'schema.prisma'), 'utf8');
const before = schema.replace('password ', 'secret ');

describe('writing a migration', () => {
  it('is not needed for the current schema', () => {
    expect(readFileSync(join(prisma, 'migrations/schema.prisma'), 'utf8')).toBe(schema);
  });

  it('needs no PostgreSQL server', async () => {
    expect(before).not.toBe(schema);
    const sql = await diffSchemas('postgresql', offlinePostgres(), before, schema);
    expect(sql).toMatch(
      /^-- AlterTable\nALTER TABLE "AuthAccount" DROP COLUMN "secret",\nADD COLUMN +"password" TEXT;/,
    );
    expect(await diffSchemas('postgresql', offlinePostgres(), schema, schema)).toBeNull();
  });

  it.skipIf(noPostgres)(needing(noPostgres, 'responds as it would with one'), async () => {
    const server = () => new PrismaPg({ connectionString: process.env.TEST_DATABASE_URL });
    for (const from of [null, before]) {
      expect(await diffSchemas('postgresql', offlinePostgres(), from, schema)).toBe(
        await diffSchemas('postgresql', server(), from, schema),
      );
    }
  });
});
