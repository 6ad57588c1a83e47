import type { PrismaClient } from './generated/sqlite/client.js';
import type { Dialect } from './migrations.js';

/** An open database, of either kind. */
export interface Database {
  dialect: Dialect;
  /** For every read outside a transaction. */
  reader: PrismaClient;
  /** For transactions and single-statement writes. */
  writer: PrismaClient;
  close(): Promise<void>;
}

/** Reads outside a transaction, and writes of one statement each. */
export type Doors = Pick<Database, 'reader' | 'writer'>;
