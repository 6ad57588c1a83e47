import { type Database, isHeldAlone } from '../../infra/database/index.js';
import type { KeyRing } from '../../infra/instance-keys.js';
import { findOtherKeys, type KeysOfProcess } from './rows.js';

/**
 * Why a process must not work beside those that are there: one of them, or it, does not hear the others (`unheard`), or what one signs
 * another would refuse (`keys`).
 */
export type Conflict = 'unheard' | 'keys';

interface Newcomer {
  db: Database;
  /** The id of its row, if it has one. */
  id: string;
  /** Whether it hears other processes. */
  isShared: boolean;
  /** Fingerprints of its keys. */
  keys: KeyRing;
}

/**
 * Looks at the other processes on a PostgreSQL database. Who is alone has a lock on it before it looks for rows, and who is not has its
 * row before it looks for the lock: of two that start at once, one at least sees the other.
 */
export async function findConflict({ db, id, isShared, keys }: Newcomer): Promise<Conflict | null> {
  if (db.dialect === 'sqlite') return null;
  const others = await findOtherKeys(db, id);
  if (!isShared) return others.length > 0 ? 'unheard' : null;
  if (await isHeldAlone(db)) return 'unheard';
  return others.every((other) => accept(keys, other)) ? null : 'keys';
}

/** Whether each of two processes takes what the other signs. One of a version that does not say is taken at its word. */
function accept(keys: KeyRing, { signsWith, accepts }: KeysOfProcess): boolean {
  if (signsWith === null || accepts === null) return true;
  return keys.includes(signsWith) && accepts.split(' ').includes(keys[0]);
}
