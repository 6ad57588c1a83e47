import type { KeyRing } from '../../infra/crypto/instance-keys.js';
import { type Database, isDatabaseLocked } from '../../infra/database/index.js';
import { findOtherKeys, type KeysOfProcess } from './rows.js';

/**
 * Why two processes must not share the database. `unheard`: they do not receive each other's events. `keys`: one would
 * reject what the other signs.
 */
export type Conflict = 'unheard' | 'keys';

interface StartingProcess {
  db: Database;
  id: string;
  /** Whether the process receives other processes' events. */
  isShared: boolean;
  keys: KeyRing;
}

/**
 * PostgreSQL only. An exclusive process takes its lock before it reads the rows. A shared process inserts its row
 * before it checks the lock. So if two start concurrently, at least one detects the other.
 */
export async function findConflict({ db, id, isShared, keys }: StartingProcess): Promise<Conflict | null> {
  if (db.dialect === 'sqlite') return null;
  const others = await findOtherKeys(db, id);
  if (!isShared) return others.length > 0 ? 'unheard' : null;
  if (await isDatabaseLocked(db)) return 'unheard';
  return others.every((other) => accept(keys, other)) ? null : 'keys';
}

/** Whether both accept what the other signs. True for an older version, which stores no keys. */
function accept(keys: KeyRing, { signsWith, accepts }: KeysOfProcess): boolean {
  if (signsWith === null || accepts === null) return true;
  return keys.includes(signsWith) && accepts.split(' ').includes(keys[0]);
}
