import { type DomainError, describeFaults, type ErrorCode, type ErrorKind, refusalIn } from '../domain/errors.js';
import { STATUS_OF_KIND } from '../http/faults.js';

/** RFC 6749, sections 4.1.2.1 and 5.2. */
export type OAuthErrorName =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'temporarily_unavailable'
  | 'server_error';

export interface OAuthError {
  status: number;
  error: OAuthErrorName;
  description: string;
  /** Seconds, if known. */
  retryAfter?: number | undefined;
}

const NAME_OF_KIND: Record<ErrorKind, OAuthErrorName> = {
  unauthenticated: 'access_denied',
  forbidden: 'access_denied',
  notFound: 'invalid_request',
  invalid: 'invalid_request',
  conflict: 'invalid_request',
  tooLarge: 'invalid_request',
  limitReached: 'invalid_request',
  rateLimited: 'temporarily_unavailable',
  overloaded: 'temporarily_unavailable',
};

const NAME_OF: Partial<Record<ErrorCode, OAuthErrorName>> = {
  INVALID_CLIENT: 'invalid_client',
  UNKNOWN_APPLICATION: 'invalid_client',
  INVALID_GRANT: 'invalid_grant',
  INVALID_SCOPE: 'invalid_scope',
  UNAUTHORIZED_CLIENT: 'unauthorized_client',
  UNSUPPORTED_GRANT_TYPE: 'unsupported_grant_type',
  UNSUPPORTED_RESPONSE_TYPE: 'unsupported_response_type',
};

/** All other kinds have status 400 (RFC 6749, section 5.2). */
export const KINDS_WITH_STATUS: ReadonlySet<ErrorKind> = new Set(['tooLarge', 'rateLimited', 'overloaded']);

function statusOf({ code, kind }: DomainError): number {
  return code === 'INVALID_CLIENT' || KINDS_WITH_STATUS.has(kind) ? STATUS_OF_KIND[kind] : 400;
}

/** Null for unexpected errors. */
export function renderOAuthError(error: unknown): OAuthError | null {
  const refusal = refusalIn(error);
  if (!refusal) return null;
  return {
    status: statusOf(refusal),
    error: NAME_OF[refusal.code] ?? NAME_OF_KIND[refusal.kind],
    description: describeFaults(refusal),
    retryAfter: refusal.retryAfterSeconds,
  };
}
