import { snowflake } from '../domain/input.js';
import { parseInput } from '../domain/parse-input.js';

const Id = snowflake();

/**
 * Reads an id from the caller's input.
 * @param path where it stands there, for the fault
 * @throws INVALID_INPUT for text that is no number; one that is too large is an unknown id
 */
export function parseId(text: string, path: string): bigint {
  return parseInput(Id, text, path);
}

/** As {@link parseId}, for one that may be left out. */
export function parseOptionalId(text: string | null | undefined, path: string): bigint | undefined {
  return text === null || text === undefined ? undefined : parseId(text, path);
}

/**
 * The field that shows a row's id. (The library's own way of exposing an id fails at run time for a bigint.)
 */
export const snowflakeId = { type: 'ID' as const, resolve: (row: { id: bigint }) => String(row.id) };
