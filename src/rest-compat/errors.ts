import { type ErrorCode, type FieldFault, refusalIn } from '../domain/errors.js';
import { httpFault } from '../http/faults.js';

/** A refusal as this face answers it. */
export interface RestError {
  status: number;
  headers?: Record<string, string>;
  body: { message: string; code: number; errors?: object; retry_after?: number; global?: boolean };
}

/** Every refusal's status and the reference platform's numeric code (Discord's documentation, Opcodes and Status Codes; decisions 28 to 30 and 53). */
const TABLE: Record<ErrorCode, { status: number; code: number }> = {
  UNAUTHENTICATED: { status: 401, code: 0 },
  MALFORMED_CREDENTIAL: { status: 401, code: 50014 },
  INVALID_ACCESS_TOKEN: { status: 401, code: 50025 },
  // In a body, beside a credential that is good: on 401 a library would throw its bot token away.
  ACCESS_TOKEN_REFUSED: { status: 403, code: 50025 },
  FORBIDDEN: { status: 403, code: 50013 },
  MISSING_ACCESS: { status: 403, code: 50001 },
  MISSING_PERMISSIONS: { status: 403, code: 50013 },
  BOTS_REFUSED: { status: 403, code: 20001 },
  ONLY_BOTS: { status: 403, code: 20002 },
  UNKNOWN_APPLICATION: { status: 404, code: 10002 },
  UNKNOWN_CHANNEL: { status: 404, code: 10003 },
  UNKNOWN_GUILD: { status: 404, code: 10004 },
  UNKNOWN_INVITE: { status: 404, code: 10006 },
  UNKNOWN_MEMBER: { status: 404, code: 10007 },
  UNKNOWN_MESSAGE: { status: 404, code: 10008 },
  UNKNOWN_ROLE: { status: 404, code: 10011 },
  UNKNOWN_TEAM: { status: 404, code: 10039 },
  UNKNOWN_TEAM_MEMBER: { status: 404, code: 10040 },
  UNKNOWN_TEAM_INVITATION: { status: 404, code: 0 },
  UNKNOWN_USER: { status: 404, code: 10013 },
  UNKNOWN_EMOJI: { status: 400, code: 10014 },
  UNKNOWN_INSTALLATION: { status: 404, code: 0 },
  INVALID_INPUT: { status: 400, code: 50035 },
  INVALID_JSON: { status: 400, code: 50109 },
  WRONG_CHANNEL_TYPE: { status: 400, code: 50008 },
  EMPTY_MESSAGE: { status: 400, code: 50006 },
  NOT_MESSAGE_AUTHOR: { status: 403, code: 50005 },
  TOO_MANY_ATTACHMENTS: { status: 400, code: 30015 },
  TOO_MANY_REACTIONS: { status: 403, code: 30010 },
  FILE_TOO_LARGE: { status: 413, code: 50045 },
  REQUEST_TOO_LARGE: { status: 413, code: 40005 },
  INVALID_REQUEST: { status: 400, code: 50035 },
  INVALID_CLIENT: { status: 401, code: 0 },
  INVALID_GRANT: { status: 400, code: 0 },
  INVALID_SCOPE: { status: 400, code: 50035 },
  UNAUTHORIZED_CLIENT: { status: 400, code: 0 },
  UNSUPPORTED_GRANT_TYPE: { status: 400, code: 0 },
  UNSUPPORTED_RESPONSE_TYPE: { status: 400, code: 0 },
  ACCESS_DENIED: { status: 403, code: 0 },
  MISSING_SCOPE: { status: 403, code: 50026 },
  CONFLICT: { status: 409, code: 0 },
  LIMIT_EXCEEDED: { status: 400, code: 30000 },
  RATE_LIMITED: { status: 429, code: 40062 },
  OVERLOADED: { status: 503, code: 130000 },
};

/** Answers that belong to HTTP itself, in the reference platform's words. */
export const NOT_FOUND: RestError = { status: 404, body: httpFault(404) };
export const METHOD_NOT_ALLOWED: RestError = { status: 405, body: httpFault(405) };
export const UNKNOWN_API_VERSION: RestError = {
  status: 400,
  body: { message: 'Invalid API version specified', code: 50041 },
};
export const BAD_REQUEST: RestError = { status: 400, body: httpFault(400) };
export const NOT_IMPLEMENTED: RestError = { status: 501, body: httpFault(501) };
export const INTERNAL_ERROR: RestError = { status: 500, body: httpFault(500) };

/** Renders a refusal; null for anything that is not one. */
export function renderRestError(error: unknown): RestError | null {
  const refusal = refusalIn(error);
  if (!refusal) return null;
  const { status, code } = TABLE[refusal.code];
  if (refusal.code === 'RATE_LIMITED') {
    return tooManyRequests(refusal.retryAfterMs ?? 0, { message: refusal.message, code });
  }
  const message = refusal.code === 'UNAUTHENTICATED' ? httpFault(401).message : refusal.message;
  const errors = refusal.fields.length > 0 ? { errors: nestFaults(refusal.fields) } : {};
  const retry = refusal.retryAfterSeconds;
  const headers = retry === undefined ? {} : { headers: { 'retry-after': String(retry) } };
  return { status, ...headers, body: { message, code, ...errors } };
}

/**
 * The answer to somebody who asks too often (Discord's documentation, Rate Limits).
 * @param resetAfterMs when to ask again
 */
export function tooManyRequests(
  resetAfterMs: number,
  { message = 'You are being rate limited.', code = 0, scope = 'user' }: Partial<TooManyRequests>,
): RestError {
  const seconds = Math.max(resetAfterMs, 1) / 1000;
  const global = scope === 'global';
  return {
    status: 429,
    headers: {
      'retry-after': String(Math.ceil(seconds)),
      'x-ratelimit-scope': scope,
      ...(global ? { 'x-ratelimit-global': 'true' } : {}),
      // discord.py takes a 429 without it for one of a proxy in between, and fails rather than wait.
      via: '1.1 causeway',
    },
    body: { message, code, retry_after: Number(seconds.toFixed(3)), global },
  };
}

interface TooManyRequests {
  message: string;
  code: number;
  /** Whether all requests have to wait, or only those of the same kind. */
  scope: 'user' | 'global';
}

interface FaultTree {
  [key: string]: FaultTree | { code: string; message: string }[];
}

/** A node without a prototype: a path may hold any name. */
const emptyNode = (): FaultTree => Object.create(null);

/**
 * Field faults as libraries read them: a tree along each path, list indices as text keys, leaves under `_errors`
 * (Discord's documentation, API Reference).
 */
export function nestFaults(faults: FieldFault[]): object {
  const root = emptyNode();
  for (const { path, code, message } of faults) {
    let node = root;
    for (const key of path === '' ? [] : path.split('.')) {
      const next = node[key];
      const child = next && !Array.isArray(next) ? next : emptyNode();
      node[key] = child;
      node = child;
    }
    const leaves = node._errors;
    node._errors = [...(Array.isArray(leaves) ? leaves : []), { code, message }];
  }
  return root;
}
