import type { ErrorCode } from '../../src/domain/errors.js';

/** The outcome of an attempt: `ok`, or the code of the refusal. */
export async function outcome(attempt: Promise<unknown>): Promise<ErrorCode | 'ok'> {
  try {
    await attempt;
    return 'ok';
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.code as ErrorCode;
    throw error;
  }
}
