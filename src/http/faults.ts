import { STATUS_CODES } from 'node:http';
import type { ErrorKind } from '../domain/errors.js';

/** RFC 9110, section 15; RFC 6585 for 429. */
export const STATUS_OF_KIND: Record<ErrorKind, number> = {
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  invalid: 400,
  conflict: 409,
  tooLarge: 413,
  limitReached: 400,
  rateLimited: 429,
  overloaded: 503,
};

/** Has Discord's shape and message. */
export function httpFault(status: number): { message: string; code: number } {
  return { message: `${status}: ${STATUS_CODES[status]}`, code: 0 };
}
