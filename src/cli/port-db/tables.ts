import type pg from 'pg';
import { type Kind, kindOf } from './values.js';

export interface Column {
  name: string;
  /** As SQL writes it, such as `timestamp(3) without time zone`. */
  type: string;
  kind: Kind;
}

export interface Table {
  name: string;
  columns: readonly Column[];
  /** Places of the primary key's columns in `columns`, in the order of the key. */
  key: readonly number[];
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Gateway sessions that wait for the next process name positions in streams that SQLite numbered, and PostgreSQL numbers
 * streams again. Their bots identify again. The ledger is that of the target's own migrations.
 */
export const NOT_COPIED = ['SessionMove', '_prisma_migrations'];

const COLUMNS = `
  SELECT t.relname::text AS "table", a.attname::text AS "name", format_type(a.atttypid, a.atttypmod) AS "type",
    ty.typname::text AS "typeName", ty.typtype = 'e' AS "isEnum", array_position(pk.conkey, a.attnum) AS "keyPlace"
  FROM pg_class t
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type ty ON ty.oid = a.atttypid
  LEFT JOIN pg_constraint pk ON pk.conrelid = t.oid AND pk.contype = 'p'
  WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace AND t.relname <> ALL ($1)
  ORDER BY t.relname, a.attnum`;

const REFERENCES = `
  SELECT source.relname::text AS "table", target.relname::text AS "needs" FROM pg_constraint
  JOIN pg_class source ON source.oid = conrelid JOIN pg_class target ON target.oid = confrelid
  WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`;

interface ColumnRow {
  table: string;
  name: string;
  type: string;
  typeName: string;
  isEnum: boolean;
  /** From 1; null for a column that is not part of the key. */
  keyPlace: number | null;
}

/** All tables to copy of a migrated PostgreSQL database. A table comes after those that its foreign keys name. */
export async function readTables(client: pg.Client): Promise<Table[]> {
  const columns = await client.query<ColumnRow>(COLUMNS, [NOT_COPIED]);
  const references = await client.query<{ table: string; needs: string }>(REFERENCES);
  const names = [...new Set(columns.rows.map(({ table }) => table))];
  return inOrder(names, references.rows).map((name) =>
    tableOf(
      name,
      columns.rows.filter(({ table }) => table === name),
    ),
  );
}

function tableOf(name: string, rows: readonly ColumnRow[]): Table {
  const key = rows
    .flatMap(({ keyPlace }, place) => (keyPlace === null ? [] : [{ keyPlace, place }]))
    .sort((one, other) => one.keyPlace - other.keyPlace);
  if (key.length === 0) throw new Error(`the table ${name} has no primary key`);
  const columns = rows.map((row) => ({ name: row.name, type: row.type, kind: kindOf(row.typeName, row.isEnum) }));
  return { name, columns, key: key.map(({ place }) => place) };
}

function inOrder(names: readonly string[], references: readonly { table: string; needs: string }[]): string[] {
  const ordered: string[] = [];
  let left = [...names];
  while (left.length > 0) {
    const isBlocked = (name: string) => references.some(({ table, needs }) => table === name && left.includes(needs));
    const next = left.filter((name) => !isBlocked(name));
    if (next.length === 0) throw new Error(`the foreign keys of these tables form a circle: ${left.join(', ')}`);
    ordered.push(...next);
    left = left.filter(isBlocked);
  }
  return ordered;
}
