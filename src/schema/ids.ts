import { snowflake } from '../domain/input.js';
import { parseInput } from '../domain/parse-input.js';

const Id = snowflake();

/**
 * @param path place in the input, for the error
 * @throws INVALID_INPUT if it is not a number; a number out of range is an unknown id
 */
export function parseId(text: string, path: string): bigint {
  return parseInput(Id, text, path);
}

export function parseOptionalId(text: string | null | undefined, path: string): bigint | undefined {
  return text === null || text === undefined ? undefined : parseId(text, path);
}

/** Pothos's `exposeID` fails at run time for a bigint. */
export const snowflakeId = { type: 'ID' as const, resolve: (row: { id: bigint }) => String(row.id) };
