import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ArgType, SqlQueryable } from '@prisma/driver-adapter-utils';
import { lockFolder } from '../../infra/database/folder-lock.js';
import { compareMigrations } from '../../infra/database/migrations.js';
import { betterSqlite3 } from '../../infra/database/sqlite-driver.js';
import { Failure } from '../failure.js';
import { NOT_COPIED, quoted, type Table } from './tables.js';
import { type Row, SqliteValues, type Value } from './values.js';

const ROWS_PER_PAGE = 500;

/** Rows with bytes can be large. */
const ROWS_WITH_BYTES_PER_PAGE = 16;

/**
 * The processes of these rows have ended. Only one that shares its database sets the end of its row, and those of SQLite
 * do not. The next start removes ended processes and their connections.
 */
const READ_AS: Record<string, string> = { 'LiveProcess.until': "'1970-01-01T00:00:00.000Z'" };

export interface Source {
  values: SqliteValues;
  /** Changes with every write to the database. */
  state(): string;
  count(table: Table): Promise<number>;
  /** The rows that follow in the order of the primary key. @param after key of the last row before; null to begin */
  page(table: Table, after: Row | null): Promise<Row[]>;
  /** @throws if a table of the database is not among `tables` */
  requireAll(tables: readonly Table[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the database of a data folder as read-only, and keeps instances from starting on it.
 * @throws {Failure} if there is none, or if another version uses it
 * @throws {StartError} if an instance runs on it, or if a newer version migrated it
 */
export async function openSource(dataDir: string): Promise<Source> {
  const file = join(dataDir, 'causeway.db');
  if (!existsSync(file)) {
    throw new Failure(`there is no SQLite database at ${file}: set DATA_DIR to the data folder of the instance`);
  }
  const lock = await lockFolder(dataDir);
  try {
    const factory = betterSqlite3({ url: `file:${file}`, readonly: true });
    await requireThisVersion(factory, file);
    const connection = await factory.connect();
    const close = () => connection.dispose().finally(lock.release);
    return { ...readerOf(connection), state: () => stateOf(file), close };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function requireThisVersion(factory: ReturnType<typeof betterSqlite3>, file: string): Promise<void> {
  const { isNew, missing } = await compareMigrations('sqlite', factory);
  if (isNew) throw new Failure(`${file} has no tables: set DATA_DIR to the data folder of the instance`);
  if (missing.length === 0) return;
  throw new Failure(
    `${file} was written by an older version of Causeway: back it up, start this version on it once, stop it, and run this command again`,
  );
}

function readerOf(connection: SqlQueryable): Omit<Source, 'state' | 'close'> {
  const values = new SqliteValues();
  const select = async (sql: string, args: readonly string[] = [], argTypes: readonly ArgType[] = []) =>
    (await connection.queryRaw({ sql, args: [...args], argTypes: [...argTypes] })).rows;
  return {
    values,
    async count({ name }) {
      const [row] = await select(`SELECT count(*) FROM ${quoted(name)}`);
      return Number(row?.[0]);
    },
    async page(table, after) {
      const rows = await select(pageOf(table, after !== null), after?.map(String), keyTypes(table));
      try {
        return rows.map((row) => table.columns.map(({ kind }, place): Value => values.read(kind, row[place])));
      } catch (error) {
        const reason = (error as Error).message;
        throw new Failure(
          `a row of ${table.name} after the key ${after?.join() ?? '(none)'} has an invalid value: ${reason}. Correct or delete the row in a copy of the SQLite database, and copy from there into an empty database`,
        );
      }
    },
    async requireAll(tables) {
      const rows = await select("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
      const known = new Set([...NOT_COPIED, ...tables.map(({ name }) => name)]);
      const unknown = rows.map(([name]) => String(name)).filter((name) => !known.has(name));
      if (unknown.length === 0) return;
      throw new Failure(
        `the SQLite database has tables that are not Causeway's: ${unknown.join(', ')}. Move them to another file`,
      );
    },
  };
}

function pageOf({ name, columns, key }: Table, isAfter: boolean): string {
  const selected = columns.map((column) => READ_AS[`${name}.${column.name}`] ?? quoted(column.name));
  const keys = key.map((place) => quoted(columns[place]?.name ?? '')).join();
  const where = isAfter ? `WHERE (${keys}) > (${key.map(() => '?').join()})` : '';
  const limit = columns.some(({ kind }) => kind === 'bytes') ? ROWS_WITH_BYTES_PER_PAGE : ROWS_PER_PAGE;
  return `SELECT ${selected.join()} FROM ${quoted(name)} ${where} ORDER BY ${keys} LIMIT ${limit}`;
}

function keyTypes({ columns, key }: Table): ArgType[] {
  const scalarType = (place: number) => (columns[place]?.kind === 'number' ? 'bigint' : 'string');
  return key.map((place) => ({ scalarType: scalarType(place), arity: 'scalar' }));
}

/** Sizes and times of change of the files. A write changes the log until it is moved into the database. */
function stateOf(file: string): string {
  const states = [file, `${file}-wal`].map((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && stat.size > 0 ? `${stat.size} bytes at ${stat.mtime.toISOString()}` : 'none';
  });
  return `database ${states[0]}, log ${states[1]}`;
}
