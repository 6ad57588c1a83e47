import type { StartError } from '../../config.js';
import type { PoolState } from '../observability/metrics.js';
import type { PrismaClient } from './generated/sqlite/client.js';
import type { Dialect } from './ledger.js';

export interface Alone {
  /** Settles when another process took the database during a connection loss. */
  taken: Promise<StartError>;
  /**
   * Calls `listener` when the lock is held again after a connection loss. Other processes were not excluded in between.
   */
  onRegained(listener: () => void): void;
}

export interface Database {
  dialect: Dialect;
  /** For every read outside a transaction. */
  reader: PrismaClient;
  /** For transactions and single-statement writes. */
  writer: PrismaClient;
  /** Undefined for SQLite. */
  connections?(): PoolState;
  /** Set for exclusive use of PostgreSQL. */
  alone?: Alone;
  close(): Promise<void>;
}

export type ReaderAndWriter = Pick<Database, 'reader' | 'writer'>;
