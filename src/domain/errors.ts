import { isUnavailable } from '../infra/database/faults.js';

/**
 * Every way a domain function can refuse. Each face owns a table from these codes to its own rendering, typed over all of
 * them.
 */
export const ERROR_CODES = [
  'UNAUTHENTICATED',
  'MALFORMED_CREDENTIAL',
  'INVALID_ACCESS_TOKEN',
  'ACCESS_TOKEN_REFUSED',
  'FORBIDDEN',
  'MISSING_ACCESS',
  'MISSING_PERMISSIONS',
  'BOTS_REFUSED',
  'ONLY_BOTS',
  'UNKNOWN_APPLICATION',
  'UNKNOWN_CHANNEL',
  'UNKNOWN_EMOJI',
  'UNKNOWN_GUILD',
  'UNKNOWN_INSTALLATION',
  'UNKNOWN_INVITE',
  'UNKNOWN_MEMBER',
  'UNKNOWN_MESSAGE',
  'UNKNOWN_ROLE',
  'UNKNOWN_TEAM',
  'UNKNOWN_TEAM_MEMBER',
  'UNKNOWN_TEAM_INVITATION',
  'UNKNOWN_USER',
  'INVALID_INPUT',
  'INVALID_JSON',
  'WRONG_CHANNEL_TYPE',
  'EMPTY_MESSAGE',
  'NOT_MESSAGE_AUTHOR',
  'TOO_MANY_ATTACHMENTS',
  'TOO_MANY_REACTIONS',
  'FILE_TOO_LARGE',
  'REQUEST_TOO_LARGE',
  'INVALID_REQUEST',
  'INVALID_CLIENT',
  'INVALID_GRANT',
  'INVALID_SCOPE',
  'UNAUTHORIZED_CLIENT',
  'UNSUPPORTED_GRANT_TYPE',
  'UNSUPPORTED_RESPONSE_TYPE',
  'ACCESS_DENIED',
  'MISSING_SCOPE',
  'CONFLICT',
  'LIMIT_EXCEEDED',
  'RATE_LIMITED',
  'OVERLOADED',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One fault in the caller's input. */
export interface FieldFault {
  /** Where in the input, dots between the steps: `embeds.0.fields.2.name`. Empty for the input as a whole. */
  path: string;
  /** The reference platform's name for the fault, such as `BASE_TYPE_REQUIRED`. */
  code: string;
  message: string;
}

export interface DomainErrorDetails {
  /** Shown to the caller only for `INVALID_INPUT`. */
  fields?: FieldFault[];
  /** For `RATE_LIMITED` and `OVERLOADED`: when to try again. */
  retryAfterMs?: number;
  /** For the log; never shown. */
  cause?: unknown;
}

/** A refusal with a message that may be shown to the caller. Anything else that is thrown is a fault of ours. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly fields: FieldFault[];
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: DomainErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.fields = details.fields ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }

  /** When to try again, in whole seconds as a `Retry-After` header has them; undefined where that is not known. */
  get retryAfterSeconds(): number | undefined {
    return this.retryAfterMs === undefined ? undefined : Math.ceil(this.retryAfterMs / 1000);
  }
}

/** When to try again what was too much at once, in milliseconds. */
export const TRY_AGAIN_MS = 1_000;

/** When to try again what a database could not be had for, in milliseconds. */
const UNAVAILABLE_RETRY_MS = 5_000;

/**
 * The refusal that something thrown stands for: itself, or `OVERLOADED` where the database or the disk could not be used. Null
 * for a fault of ours. Every face asks here before it answers with an internal error.
 */
export function refusalIn(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  if (!isUnavailable(error)) return null;
  const details = { cause: error, retryAfterMs: UNAVAILABLE_RETRY_MS };
  return new DomainError(
    'OVERLOADED',
    'The service is not available at the moment; try again in a few seconds.',
    details,
  );
}

/** An `INVALID_INPUT` error made of field faults. */
export function invalidInput(...fields: FieldFault[]): DomainError {
  return new DomainError('INVALID_INPUT', 'Invalid Form Body', { fields });
}

/** The refusal of somebody who sees what they ask for, and may not do it. */
export function missingPermissions(message = 'Missing Permissions'): DomainError {
  return new DomainError('MISSING_PERMISSIONS', message);
}
