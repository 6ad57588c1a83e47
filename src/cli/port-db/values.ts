import { hash } from 'node:crypto';

/** Text that is the same for a value in both databases, and that PostgreSQL reads; null for NULL. */
export type Value = string | null;

export type Row = readonly Value[];

/** How a column's values are converted, by the type of its column in PostgreSQL. */
export type Kind = 'text' | 'number' | 'boolean' | 'time' | 'json' | 'bytes';

const KINDS: Record<string, Kind> = {
  text: 'text',
  varchar: 'text',
  int4: 'number',
  int8: 'number',
  bool: 'boolean',
  timestamp: 'time',
  jsonb: 'json',
  bytea: 'bytes',
};

/** @param type a name in `pg_type` */
export function kindOf(type: string, isEnum: boolean): Kind {
  const kind = isEnum ? 'text' : KINDS[type];
  if (kind === undefined) throw new Error(`port-db cannot copy columns of the type ${type}`);
  return kind;
}

/** Reads values of SQLite, and counts those with U+0000, which PostgreSQL cannot store. They get U+FFFD instead. */
export class SqliteValues {
  replaced = 0;

  read(kind: Kind, value: unknown): Value {
    if (value === null) return null;
    if (kind === 'boolean') return Number(value) === 0 ? 'false' : 'true';
    if (kind === 'time') return timeOf(String(value));
    if (kind === 'bytes') return `\\x${Buffer.from(value as Uint8Array).toString('hex')}`;
    if (kind === 'number') return String(value);
    const text = String(value);
    const storable = kind === 'json' ? canonicalJson(text) : storableText(text);
    if (text.includes(kind === 'json' ? '\\u0000' : '\0')) this.replaced += 1;
    return storable;
  }
}

/** An expression that selects a column of PostgreSQL for {@link postgresValue}. */
export function selected(kind: Kind, column: string): string {
  return kind === 'time' ? `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS')` : `${column}::text`;
}

export function postgresValue(kind: Kind, value: Value): Value {
  return kind === 'json' && value !== null ? canonicalJson(value) : value;
}

/** A time without a zone is in UTC. Both databases have milliseconds. */
function timeOf(text: string): string {
  const hasZone = /Z$|[+-]\d\d:\d\d$/.test(text);
  const time = new Date(hasZone ? text : `${text.replace(' ', 'T')}Z`);
  return time.toISOString().replace('Z', '');
}

const PLAIN_JSON = new Set(['[]', '{}', 'null', '""']);

/** PostgreSQL changes the order of keys, the spaces, and how numbers are written. */
function canonicalJson(text: string): string {
  return PLAIN_JSON.has(text) ? text : JSON.stringify(sorted(JSON.parse(text)));
}

function sorted(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => [storableText(key), sorted(entry)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

const SUM_BITS = 64;

/** Sum of the rows' hashes, so that the order of the rows does not matter. */
export function checksum(rows: readonly Row[], before = 0n): bigint {
  const hashes = rows.map((row) => hash('sha256', JSON.stringify(row), 'buffer').readBigUInt64BE());
  return BigInt.asUintN(
    SUM_BITS,
    hashes.reduce((sum, one) => sum + one, before),
  );
}
