import { type ErrorCode, refusalIn } from '../domain/errors.js';

/** The error names of RFC 6749, sections 4.1.2.1 and 5.2. */
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
  /** Seconds, where it is known when to try again. */
  retryAfter?: number | undefined;
}

/** What OAuth clients are told of each refusal. Those that no OAuth request can meet are requests gone wrong. */
const NAMES: Record<ErrorCode, OAuthErrorName> = {
  INVALID_REQUEST: 'invalid_request',
  INVALID_CLIENT: 'invalid_client',
  INVALID_GRANT: 'invalid_grant',
  INVALID_SCOPE: 'invalid_scope',
  UNAUTHORIZED_CLIENT: 'unauthorized_client',
  UNSUPPORTED_GRANT_TYPE: 'unsupported_grant_type',
  UNSUPPORTED_RESPONSE_TYPE: 'unsupported_response_type',
  ACCESS_DENIED: 'access_denied',
  MISSING_SCOPE: 'invalid_scope',
  RATE_LIMITED: 'temporarily_unavailable',
  OVERLOADED: 'temporarily_unavailable',
  UNAUTHENTICATED: 'access_denied',
  FORBIDDEN: 'access_denied',
  MISSING_ACCESS: 'access_denied',
  MISSING_PERMISSIONS: 'access_denied',
  MALFORMED_CREDENTIAL: 'invalid_client',
  UNKNOWN_APPLICATION: 'invalid_client',
  INVALID_ACCESS_TOKEN: 'invalid_grant',
  ACCESS_TOKEN_REFUSED: 'invalid_grant',
  BOTS_REFUSED: 'invalid_request',
  ONLY_BOTS: 'invalid_request',
  UNKNOWN_CHANNEL: 'invalid_request',
  UNKNOWN_EMOJI: 'invalid_request',
  UNKNOWN_GUILD: 'invalid_request',
  UNKNOWN_INSTALLATION: 'invalid_request',
  UNKNOWN_INVITE: 'invalid_request',
  UNKNOWN_MEMBER: 'invalid_request',
  UNKNOWN_MESSAGE: 'invalid_request',
  UNKNOWN_ROLE: 'invalid_request',
  UNKNOWN_TEAM: 'invalid_request',
  UNKNOWN_TEAM_MEMBER: 'invalid_request',
  UNKNOWN_TEAM_INVITATION: 'invalid_request',
  UNKNOWN_USER: 'invalid_request',
  INVALID_INPUT: 'invalid_request',
  INVALID_JSON: 'invalid_request',
  WRONG_CHANNEL_TYPE: 'invalid_request',
  EMPTY_MESSAGE: 'invalid_request',
  NOT_MESSAGE_AUTHOR: 'invalid_request',
  TOO_MANY_ATTACHMENTS: 'invalid_request',
  TOO_MANY_REACTIONS: 'invalid_request',
  FILE_TOO_LARGE: 'invalid_request',
  REQUEST_TOO_LARGE: 'invalid_request',
  CONFLICT: 'invalid_request',
  LIMIT_EXCEEDED: 'invalid_request',
};

const STATUS: Partial<Record<ErrorCode, number>> = {
  INVALID_CLIENT: 401,
  MALFORMED_CREDENTIAL: 401,
  REQUEST_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  OVERLOADED: 503,
};

/** Renders a refusal; null for anything that is not one. */
export function renderOAuthError(error: unknown): OAuthError | null {
  const refusal = refusalIn(error);
  if (!refusal) return null;
  return {
    status: STATUS[refusal.code] ?? 400,
    error: NAMES[refusal.code],
    description: refusal.message,
    retryAfter: refusal.retryAfterSeconds,
  };
}
