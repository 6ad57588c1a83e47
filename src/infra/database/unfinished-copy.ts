import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { StartError } from '../../config.js';

/** Schema with the progress of `causeway port-db`, which drops it at the end. */
export const COPY_SCHEMA = 'causeway_copy';

/** @throws {StartError} if a copy into this PostgreSQL database has begun and not ended */
export async function requireNoUnfinishedCopy(connection: SqlQueryable): Promise<void> {
  const sql = `SELECT 1 FROM pg_namespace WHERE nspname = '${COPY_SCHEMA}'`;
  const { rows } = await connection.queryRaw({ sql, args: [], argTypes: [] });
  if (rows.length === 0) return;
  throw new StartError(
    'the copy from SQLite into this database is not complete: run `causeway port-db` again with the same --to, or use an empty database',
  );
}
