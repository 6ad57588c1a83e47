import { statSync } from 'node:fs';
import { betterSqlite3 } from './sqlite-driver.js';

export interface SqliteFacts {
  /** In bytes. */
  size: number;
  /** Bytes that `VACUUM` gives back. */
  reclaimable: number;
  /** Such as `wal`. */
  journalMode: string;
  /** The first fault of `PRAGMA quick_check`; `ok` if there is none, null if the file is too large to check. */
  integrity: string | null;
}

/** Reads the file once, which takes some seconds for this size. */
const LARGEST_CHECKED = 2 ** 30;

/** Writes nothing. @throws if the file is not a database */
export async function inspectSqlite(file: string): Promise<SqliteFacts> {
  const { size } = statSync(file);
  // Not opened as read-only, because such a connection leaves the files of its WAL behind.
  const connection = await betterSqlite3({ url: `file:${file}` }).connect();
  const ask = async (pragma: string) => {
    const { rows } = await connection.queryRaw({ sql: `PRAGMA ${pragma}`, args: [], argTypes: [] });
    return rows[0]?.[0];
  };
  try {
    return {
      size,
      reclaimable: Number(await ask('freelist_count')) * Number(await ask('page_size')),
      journalMode: String(await ask('journal_mode')),
      integrity: size > LARGEST_CHECKED ? null : String(await ask('quick_check(1)')),
    };
  } finally {
    await connection.dispose();
  }
}
