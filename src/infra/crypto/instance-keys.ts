import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_KEY, type SecretKeys } from '../../config.js';
import type { ReaderAndWriter } from '../database/index.js';
import type { Logger } from '../observability/logger.js';
import { randomToken } from './secrets.js';

const PURPOSES = ['accounts', 'addresses'] as const;
type Purpose = (typeof PURPOSES)[number];

/** The first key signs; signatures of all are accepted. */
export type KeyRing = readonly [newest: string, ...older: string[]];

/** All processes of an instance must have the same keys. */
export interface InstanceKeys {
  /** For cookies, forms and links in mails. */
  accounts: KeyRing;
  /** For URLs of files. */
  addresses: KeyRing;
  /** One per key, in the same order. It reveals nothing about the key. */
  fingerprints: KeyRing;
}

const FORMER_FILES: Record<Purpose, string> = { accounts: 'auth-secret', addresses: 'cdn-secret' };

/**
 * Creates the keys of the database if they are missing.
 * @param named newest first: keys, or {@link DATABASE_KEY}
 * @param dataDir may hold key files of an earlier version, which are copied into the database
 */
export async function openInstanceKeys(
  named: SecretKeys,
  db: ReaderAndWriter,
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

/** A signature for one purpose must be invalid for another. */
function derived(key: string, purpose: string): string {
  return createHmac('sha256', key).update(`causeway ${purpose}`).digest('base64url');
}

function fingerprint(key: string): string {
  return createHash('sha256').update(derived(key, 'fingerprint')).digest('hex').slice(0, 16);
}

/** If several processes start at once, one creates the keys and all read the same. */
async function keptKeys(
  { reader, writer }: ReaderAndWriter,
  dataDir: string,
  log: Logger,
): Promise<Record<Purpose, string>> {
  const found = await findKeys(reader);
  if (found) return found;
  for (const purpose of PURPOSES) {
    const former = readFormer(join(dataDir, FORMER_FILES[purpose]));
    const secret = former ?? randomToken(48);
    await writer.$executeRaw`
      INSERT INTO "InstanceKey" ("purpose", "secret") VALUES (${purpose}, ${secret}) ON CONFLICT DO NOTHING`;
    if (former !== null) {
      log.info(`Moved the key in the file ${FORMER_FILES[purpose]} to the database; the file is no longer read`);
    }
  }
  const made = await findKeys(reader);
  if (!made) throw new Error('the new instance keys were not found in the database');
  return made;
}

async function findKeys(reader: ReaderAndWriter['reader']): Promise<Record<Purpose, string> | null> {
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
