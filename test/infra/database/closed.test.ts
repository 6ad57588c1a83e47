import { readdir, rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { isUnavailable } from '../../../src/infra/database/faults.js';
import { openDatabase } from '../../../src/infra/database/index.js';
import { readableLog } from '../../harness/log.js';
import { migratedDatabase, migratedFolder } from '../../harness/server.js';

it('a closed database is not opened again by a later query', async () => {
  const dataDir = await migratedFolder();
  const database = await migratedDatabase();
  const { log, lines } = readableLog('warn');
  const db = await openDatabase({ url: database?.url ?? null, dataDir, pool: 2, isAlone: true }, log);
  expect(await db.reader.guild.count()).toBe(0);
  await db.close();
  const left = await readdir(dataDir);

  for (const ask of [
    () => db.reader.user.count(),
    () => db.writer.user.deleteMany(),
    () => db.writer.$transaction((tx) => tx.user.count()),
  ]) {
    const fault = await ask().then(
      () => null,
      (error: unknown) => error,
    );
    expect(isUnavailable(fault)).toBe(true);
  }
  expect(await readdir(dataDir)).toEqual(left);
  expect(lines).toEqual([]);
  // PostgreSQL does not drop a database with open connections.
  await database?.drop();
  await rm(dataDir, { recursive: true });
});
