import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SecretKeys } from '../../../src/config.js';
import { type InstanceKeys, openInstanceKeys } from '../../../src/infra/crypto/instance-keys.js';
import { type Database, openDatabase } from '../../../src/infra/database/index.js';
import type { ThrowAwayDatabase } from '../../harness/databases.js';
import { readableLog, readLines } from '../../harness/log.js';
import { migratedDatabase, migratedFolder } from '../../harness/server.js';

const KEY = 'k'.repeat(32);
const OTHER = 'o'.repeat(32);

let dataDir: string;
let database: ThrowAwayDatabase | null;
let db: Database;
let lines: string[];
let open: (...named: SecretKeys) => Promise<InstanceKeys>;

beforeEach(async () => {
  dataDir = await migratedFolder();
  database = await migratedDatabase();
  const read = readableLog('info');
  lines = read.lines;
  db = await openDatabase({ url: database?.url ?? null, dataDir, pool: 5, isAlone: true }, read.log);
  open = (...named) => openInstanceKeys(named, db, dataDir, read.log);
});
afterEach(async () => {
  await db.close();
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

describe('the keys in the database', () => {
  test('are made once, one for each purpose, and are in no file', async () => {
    const keys = await open('database');
    expect([keys.accounts, keys.addresses].map(([key]) => key.length)).toEqual([64, 64]);
    expect(keys.accounts).not.toEqual(keys.addresses);
    expect(await open('database')).toEqual(keys);
    expect((await readdir(dataDir)).filter((name) => !name.startsWith('causeway.'))).toEqual([]);
  });

  test('are the same for ten callers at once', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => open('database')));
    expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
    expect(await db.reader.instanceKey.count()).toBe(2);
  });

  test('are those of the files of an earlier version, and the log says so once', async () => {
    await writeFile(join(dataDir, 'auth-secret'), 'a former key');
    await writeFile(join(dataDir, 'cdn-secret'), 'another former key');
    const keys = await open('database');
    expect([keys.accounts, keys.addresses]).toEqual([['a former key'], ['another former key']]);
    await open('database');
    expect(readLines(lines).map(({ msg }) => msg)).toEqual(
      ['auth-secret', 'cdn-secret'].map(
        (name) => `Moved the key in the file ${name} to the database; the file is no longer read`,
      ),
    );
    expect(lines.join()).not.toContain('former key');
  });
});

describe('keys in the configuration', () => {
  test('differ for each purpose, and no key is made in the database', async () => {
    const keys = await open(KEY);
    expect(new Set([KEY, ...keys.accounts, ...keys.addresses, ...keys.fingerprints]).size).toBe(4);
    expect(await open(KEY)).toEqual(keys);
    expect(await open(OTHER)).not.toEqual(keys);
    expect(await db.reader.instanceKey.count()).toBe(0);
  });

  test('keep their order, also together with the key in the database', async () => {
    const [kept, one, other] = [await open('database'), await open(KEY), await open(OTHER)];
    const both = (first: InstanceKeys, second: InstanceKeys) => ({
      accounts: [...first.accounts, ...second.accounts],
      addresses: [...first.addresses, ...second.addresses],
      fingerprints: [...first.fingerprints, ...second.fingerprints],
    });
    expect(await open(KEY, OTHER)).toEqual(both(one, other));
    expect(await open(OTHER, 'database')).toEqual(both(other, kept));
    expect(await open('database', KEY)).toEqual(both(kept, one));
  });
});
