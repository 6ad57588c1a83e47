import { type DomainError, type ErrorCode, type FieldFault, refusalOfRequest } from '../domain/errors.js';
import { httpFault, STATUS_OF_KIND } from '../http/faults.js';
import { tooManyRequests } from '../http/too-many-requests.js';

export interface RestError {
  status: number;
  headers?: Record<string, string>;
  body: { message: string; code: number; errors?: object; retry_after?: number; global?: boolean };
}

/** Other errors have code 0 (Discord's documentation, Opcodes and Status Codes). */
const CODE_OF: Partial<Record<ErrorCode, number>> = {
  MALFORMED_CREDENTIAL: 50014,
  INVALID_ACCESS_TOKEN: 50025,
  ACCESS_TOKEN_REFUSED: 50025,
  FORBIDDEN: 50013,
  MISSING_ACCESS: 50001,
  MISSING_PERMISSIONS: 50013,
  BOTS_REFUSED: 20001,
  ONLY_BOTS: 20002,
  CANNOT_MESSAGE_USER: 50007,
  DIRECT_CHANNEL: 50003,
  SYSTEM_MESSAGE: 50021,
  NOT_OWN_APPLICATION: 20012,
  UNKNOWN_APPLICATION: 10002,
  UNKNOWN_CHANNEL: 10003,
  UNKNOWN_GUILD: 10004,
  UNKNOWN_INVITE: 10006,
  UNKNOWN_MEMBER: 10007,
  UNKNOWN_MESSAGE: 10008,
  UNKNOWN_OVERWRITE: 10009,
  UNKNOWN_ROLE: 10011,
  UNKNOWN_SOUND: 10097,
  UNKNOWN_STICKER: 10060,
  UNKNOWN_TEAM: 10039,
  UNKNOWN_TEAM_MEMBER: 10040,
  UNKNOWN_USER: 10013,
  UNKNOWN_EMOJI: 10014,
  UNKNOWN_VOICE_STATE: 10065,
  UNKNOWN_BAN: 10026,
  UNKNOWN_GUILD_EMOJI: 10014,
  UNKNOWN_WEBHOOK: 10015,
  UNKNOWN_INTERACTION: 10062,
  UNKNOWN_COMMAND: 10063,
  UNKNOWN_COMMAND_PERMISSIONS: 10066,
  INVALID_WEBHOOK_TOKEN: 50027,
  INVITE_CODE_TAKEN: 50020,
  WIDGET_DISABLED: 50004,
  INVALID_RECIPIENT: 50033,
  INVALID_INPUT: 50035,
  INVALID_JSON: 50109,
  WRONG_CHANNEL_TYPE: 50008,
  BULK_DELETE_COUNT: 50016,
  BULK_DELETE_TOO_OLD: 50034,
  EMPTY_MESSAGE: 50006,
  SEVERAL_PARENTS: 40009,
  NOT_MESSAGE_AUTHOR: 50005,
  BANNED: 40007,
  NOT_IN_VOICE: 40032,
  INVALID_ROLE: 50028,
  NOBODY_BANNED: 500000,
  ALREADY_ACKNOWLEDGED: 40060,
  COMMAND_NAME_TAKEN: 40041,
  TOO_MANY_COMMANDS: 30032,
  TOO_MANY_COMMAND_CREATES: 30034,
  TOO_MANY_FOLLOW_UPS: 40094,
  TOO_MANY_ATTACHMENTS: 30015,
  TOO_MANY_EMOJIS: 30008,
  TOO_MANY_ANIMATED_EMOJIS: 30018,
  TOO_MANY_PRUNES: 30040,
  TOO_MANY_PINS: 30003,
  TOO_MANY_WEBHOOKS: 30007,
  TOO_MANY_CHANNELS: 30013,
  TOO_MANY_OVERWRITES: 30060,
  TOO_MANY_REACTIONS: 30010,
  FILE_TOO_LARGE: 50045,
  REQUEST_TOO_LARGE: 40005,
  INVALID_REQUEST: 50035,
  INVALID_SCOPE: 50035,
  MISSING_SCOPE: 50026,
  LIMIT_EXCEEDED: 30000,
  RATE_LIMITED: 40062,
  SLOW_MODE: 20016,
  OVERLOADED: 130000,
};

/** Statuses that differ from those of the error's kind. */
const STATUS_OF: Partial<Record<ErrorCode, number>> = {
  TOO_MANY_REACTIONS: 403,
  ALREADY_ACKNOWLEDGED: 400,
  COMMAND_NAME_TAKEN: 400,
};

/** HTTP errors, with Discord's messages. */
export const NOT_FOUND: RestError = { status: 404, body: httpFault(404) };
export const METHOD_NOT_ALLOWED: RestError = { status: 405, body: httpFault(405) };
export const UNKNOWN_API_VERSION: RestError = {
  status: 400,
  body: { message: 'Invalid API version specified', code: 50041 },
};
export const BAD_REQUEST: RestError = { status: 400, body: httpFault(400) };
export const NOT_IMPLEMENTED: RestError = { status: 501, body: httpFault(501) };
export const INTERNAL_ERROR: RestError = { status: 500, body: httpFault(500) };

/** Null for an unexpected error. */
export function renderRestError(error: unknown): RestError | null {
  const refusal = refusalOfRequest(error);
  if (!refusal) return null;
  const status = STATUS_OF[refusal.code] ?? STATUS_OF_KIND[refusal.kind];
  const code = CODE_OF[refusal.code] ?? 0;
  if (refusal.kind === 'rateLimited') {
    return tooManyRequests(refusal.retryAfterMs ?? 0, { message: refusal.message, code });
  }
  const message = refusal.code === 'UNAUTHENTICATED' ? httpFault(401).message : refusal.message;
  const errors = refusal.fields.length > 0 ? { errors: nestFaults(refusal.fields) } : {};
  return { status, ...headersOf(refusal), body: { message, code, ...errors } };
}

/** The reason is also a header, because libraries do not read the body of a 5xx. */
function headersOf({ retryAfterSeconds, shown: { reason } }: DomainError): Pick<RestError, 'headers'> {
  const headers = {
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(typeof reason === 'string' ? { 'x-causeway-reason': reason } : {}),
  };
  return Object.keys(headers).length === 0 ? {} : { headers };
}

interface FaultTree {
  [key: string]: FaultTree | { code: string; message: string }[];
}

/** Has no prototype, because a path can contain any name. */
const emptyNode = (): FaultTree => Object.create(null);

/**
 * Returns a tree along each path, with list indexes as string keys and errors under `_errors` (Discord's documentation,
 * API Reference).
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
