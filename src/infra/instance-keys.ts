import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_KEY, type SecretKeys } from '../config.js';
import type { Doors } from './database/index.js';
import type { Logger } from './logger.js';
import { randomToken } from './secrets.js';

/** What an instance signs, and checks the signature of when it comes back. */
const PURPOSES = ['accounts', 'addresses'] as const;
type Purpose = (typeof PURPOSES)[number];

/** Keys for one purpose: the first signs, and what any of them signed is accepted. */
export type KeyRing = readonly [newest: string, ...older: string[]];

/** The keys of an instance, all of whose processes have to have the same. */
export interface InstanceKeys {
  /** For cookies, forms and links in mails. */
  accounts: KeyRing;
  /** For the addresses of files. */
  addresses: KeyRing;
  /** One for each key, in the same order, by which processes compare them. Nothing can be told from it about a key. */
  fingerprints: KeyRing;
}

/** The files that held a key each before the database did. */
const FORMER_FILES: Record<Purpose, string> = { accounts: 'auth-secret', addresses: 'cdn-secret' };

/**
 * The keys that the configuration names, of which those of the database are made where there are none yet.
 * @param named the newest first: keys, or {@link DATABASE_KEY}
 * @param dataDir in which files of an earlier version may hold the keys that the database is to keep
 */
export async function openInstanceKeys(
  named: SecretKeys,
  db: Doors,
  dataDir: string,
  log: Logger,
): Promise<InstanceKeys> {
  const kept = named.includes(DATABASE_KEY) ? await keptKeys(db, dataDir, log) : null;
  const ring = (purpose: Purpose) =>
    mapped(named, (name) => (kept && name === DATABASE_KEY ? kept[purpose] : derived(name, purpose)));
  const accounts = ring('accounts');
  return { accounts, addresses: ring('addresses'), fingerprints: mapped(accounts, fingerprint) };
}

function mapped([first, ...rest]: SecretKeys, change: (value: string) => string): KeyRing {
  return [change(first), ...rest.map(change)];
}

/** One key of the configuration serves all purposes, but nothing that is signed for one is good for another. */
function derived(key: string, purpose: string): string {
  return createHmac('sha256', key).update(`causeway ${purpose}`).digest('base64url');
}

function fingerprint(key: string): string {
  return createHash('sha256').update(derived(key, 'fingerprint')).digest('hex').slice(0, 16);
}

/** Of several processes that start at once, one makes a key and all read the same. */
async function keptKeys({ reader, writer }: Doors, dataDir: string, log: Logger): Promise<Record<Purpose, string>> {
  const found = await findKeys(reader);
  if (found) return found;
  for (const purpose of PURPOSES) {
    const former = readFormer(join(dataDir, FORMER_FILES[purpose]));
    const secret = former ?? randomToken(48);
    await writer.$executeRaw`
      INSERT INTO "InstanceKey" ("purpose", "secret") VALUES (${purpose}, ${secret}) ON CONFLICT DO NOTHING`;
    if (former !== null) {
      log.info(
        `the key in the file ${FORMER_FILES[purpose]} is kept in the database now; the file is not read any more`,
      );
    }
  }
  const made = await findKeys(reader);
  if (!made) throw new Error('keys that were just made are not there');
  return made;
}

/** @returns null unless all are there */
async function findKeys(reader: Doors['reader']): Promise<Record<Purpose, string> | null> {
  const rows = await reader.instanceKey.findMany();
  const secretOf = (purpose: Purpose) => rows.find((row) => row.purpose === purpose)?.secret;
  const [accounts, addresses] = [secretOf('accounts'), secretOf('addresses')];
  return accounts === undefined || addresses === undefined ? null : { accounts, addresses };
}

function readFormer(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
