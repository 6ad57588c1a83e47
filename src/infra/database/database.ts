import type { StartError } from '../../config.js';
import type { PoolState } from '../metrics.js';
import type { PrismaClient } from './generated/sqlite/client.js';
import type { Dialect } from './migrations.js';

/** That a process has a PostgreSQL database for itself. */
export interface Alone {
  /** Settles when another process has taken the database while it could not be reached. */
  taken: Promise<StartError>;
  /** Has a function called whenever the database could not be reached for a while, in which nobody was kept out, and is this process's again. */
  onRegained(listener: () => void): void;
}

/** An open database, of either kind. */
export interface Database {
  dialect: Dialect;
  /** For every read outside a transaction. */
  reader: PrismaClient;
  /** For transactions and single-statement writes. */
  writer: PrismaClient;
  /** The connections of the pool, where there is one. */
  connections?(): PoolState;
  /** Where it was to be this process's alone, and others could come. */
  alone?: Alone;
  close(): Promise<void>;
}

/** Reads outside a transaction, and writes of one statement each. */
export type Doors = Pick<Database, 'reader' | 'writer'>;
