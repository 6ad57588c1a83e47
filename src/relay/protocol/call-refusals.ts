import type { ErrorCode } from '../../domain/errors.js';

/** The `code` of a refused call (docs/relay.md, R-27). Other reasons have 0. */
export const CALL_REFUSALS = {
  BANNED: 40007,
  UNKNOWN_GUILD: 10004,
} as const satisfies Partial<Record<ErrorCode, number>>;
