import type { ErrorCode } from '../../domain/errors.js';

/** What a box says in `code` of why it refuses a call (docs/relay.md, R-27): numbers of the reference platform. Any other reason is 0. */
export const CALL_REFUSALS = {
  BANNED: 40007,
  UNKNOWN_GUILD: 10004,
} as const satisfies Partial<Record<ErrorCode, number>>;
