import { STATUS_CODES } from 'node:http';

/** What is answered to a fault of HTTP itself, in the reference platform's shape and words. */
export function httpFault(status: number): { message: string; code: number } {
  return { message: `${status}: ${STATUS_CODES[status]}`, code: 0 };
}
