import type { z } from 'zod';
import { DomainError, type FieldFault } from '../../src/domain/errors.js';
import { parseInput, parseInTurns } from '../../src/domain/parse-input.js';

/**
 * The faults of an input; empty if it is valid.
 * @throws any other error of the parser
 */
export function faultsIn(schema: z.ZodType, value: unknown, path?: string): FieldFault[] {
  try {
    parseInput(schema, value, path);
  } catch (error) {
    return faultsOf(error);
  }
  return [];
}

/** As {@link faultsIn}, for a schema that yields to the event loop. */
export async function faultsInTurns(schema: z.ZodType, value: unknown): Promise<FieldFault[]> {
  try {
    await parseInTurns(schema, value);
  } catch (error) {
    return faultsOf(error);
  }
  return [];
}

function faultsOf(error: unknown): FieldFault[] {
  if (error instanceof DomainError && error.code === 'INVALID_INPUT') return error.fields;
  throw error;
}
