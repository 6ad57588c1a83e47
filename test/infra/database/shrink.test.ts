import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, shrinkSqlite } from '../../../src/infra/database/index.js';
import { readableLog } from '../../harness/log.js';
import { migratedDatabase, migratedFolder } from '../../harness/server.js';
import { needing, noSqlite } from '../../harness/skipping.js';
import { statementsOf } from '../../harness/statements.js';

const never = new AbortController().signal;

let dataDir: string;
let db: Database;
let drop: (() => Promise<void>) | undefined;
beforeEach(async () => {
  dataDir = await migratedFolder();
  const database = await migratedDatabase();
  drop = database?.drop;
  db = await openDatabase({ url: database?.url ?? null, dataDir, pool: 2, isAlone: true }, readableLog().log);
});
afterEach(async () => {
  await db.close();
  await drop?.();
  await rm(dataDir, { recursive: true });
});

async function fillAndEmpty(): Promise<void> {
  const now = new Date();
  const times = { createdAt: now, updatedAt: now, expiresAt: now };
  const value = 'x'.repeat(3_000);
  const data = Array.from({ length: 1_000 }, () => ({ id: randomUUID(), identifier: 'x', value, ...times }));
  await db.writer.authVerification.createMany({ data });
  await db.writer.authVerification.deleteMany({ where: { id: { not: data[0]?.id ?? '' } } });
}

async function sizeOfFile(): Promise<number> {
  await db.writer.$queryRaw`PRAGMA wal_checkpoint(TRUNCATE)`;
  return (await stat(join(dataDir, 'causeway.db'))).size;
}

describe.skipIf(noSqlite !== null)(needing(noSqlite, 'a SQLite file'), () => {
  it('shrinks after rows were removed, keeps some room, and keeps the rest of the rows', async () => {
    const before = await sizeOfFile();
    await fillAndEmpty();
    const full = await sizeOfFile();
    expect(full).toBeGreaterThan(before + 3_000_000);
    await shrinkSqlite(db, never);
    const after = await sizeOfFile();
    expect(after).toBeLessThan(before + 700_000);
    expect(await db.reader.authVerification.count()).toBe(1);
    expect(await db.writer.$queryRaw`PRAGMA integrity_check`).toEqual([{ integrity_check: 'ok' }]);
    await shrinkSqlite(db, never);
    expect(await sizeOfFile()).toBe(after);
  });

  it('stops to shrink when the job is aborted, and continues in the next run', async () => {
    await fillAndEmpty();
    const full = await sizeOfFile();
    await expect(shrinkSqlite(db, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect(await sizeOfFile()).toBe(full);
    await shrinkSqlite(db, never);
    expect(await sizeOfFile()).toBeLessThan(full);
  });

  it('of an older version shrinks after the VACUUM of docs/operations.md', async () => {
    await db.writer.$executeRaw`PRAGMA auto_vacuum = NONE`;
    await db.writer.$executeRaw`VACUUM`;
    await fillAndEmpty();
    const full = await sizeOfFile();
    await shrinkSqlite(db, never);
    expect(await sizeOfFile()).toBe(full);
    await db.writer.$executeRaw`PRAGMA auto_vacuum = INCREMENTAL`;
    await db.writer.$executeRaw`VACUUM`;
    await fillAndEmpty();
    const again = await sizeOfFile();
    await shrinkSqlite(db, never);
    expect(await sizeOfFile()).toBeLessThan(again);
  });
});

it('PostgreSQL is not asked to shrink', async () => {
  const statements = await statementsOf(() => shrinkSqlite({ ...db, dialect: 'postgresql' }, never));
  expect(statements).toEqual([]);
});
