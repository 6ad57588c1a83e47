import type { z } from 'zod';
import { DomainError, type FieldFault } from '../../src/domain/errors.js';
import { parseInput } from '../../src/domain/parse-input.js';

/** What is wrong with an input; nothing where it is taken. @throws whatever else parsing throws */
export function faultsIn(schema: z.ZodType, value: unknown, path?: string): FieldFault[] {
  try {
    parseInput(schema, value, path);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'INVALID_INPUT') return error.fields;
    throw error;
  }
  return [];
}
