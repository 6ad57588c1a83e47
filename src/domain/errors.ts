import { isUnavailable, mayBeDone } from '../infra/database/faults.js';

/** Entry points map kinds to responses, and codes that have their own number, name or status. */
export type ErrorKind =
  | 'unauthenticated'
  | 'forbidden'
  | 'notFound'
  | 'invalid'
  /** Valid input that conflicts with the current state. */
  | 'conflict'
  | 'tooLarge'
  | 'limitReached'
  | 'rateLimited'
  | 'overloaded';

interface Refusal {
  kind: ErrorKind;
  message?: string;
}

const REFUSALS = {
  UNAUTHENTICATED: {
    kind: 'unauthenticated',
    message:
      'Sign in first: send the header "authorization: Bearer …" with a token from /auth/sign-in/email, or sign in at /oauth2/sign-in in this browser.',
  },
  SUSPENDED: { kind: 'unauthenticated', message: 'This account or application is suspended.' },
  MALFORMED_CREDENTIAL: { kind: 'unauthenticated', message: 'Invalid authentication token' },
  INVALID_ACCESS_TOKEN: { kind: 'unauthenticated', message: 'Invalid OAuth2 access token provided' },
  // For an access token in a request body. On 401, libraries would discard the valid bot token that they sent with it.
  ACCESS_TOKEN_REFUSED: { kind: 'forbidden', message: 'Invalid OAuth2 access token provided' },
  FORBIDDEN: { kind: 'forbidden' },
  BANNED: { kind: 'forbidden', message: 'The user is banned from this guild.' },
  MISSING_ACCESS: { kind: 'forbidden', message: 'Missing Access' },
  MISSING_PERMISSIONS: { kind: 'forbidden', message: 'Missing Permissions' },
  BOTS_REFUSED: { kind: 'forbidden', message: 'Bots cannot use this endpoint' },
  CANNOT_MESSAGE_USER: { kind: 'forbidden', message: 'Cannot send messages to this user' },
  DIRECT_CHANNEL: { kind: 'forbidden', message: 'Cannot execute action on a DM channel' },
  SYSTEM_MESSAGE: { kind: 'forbidden', message: 'Cannot execute action on a system message' },
  ONLY_BOTS: { kind: 'forbidden', message: 'Only bots can use this endpoint' },
  NOT_OWN_APPLICATION: {
    kind: 'forbidden',
    message: 'You are not authorized to perform this action on this application',
  },
  /** For callers who must not learn that there is something. */
  NOT_FOUND: { kind: 'notFound', message: 'Not Found' },
  UNKNOWN_APPLICATION: { kind: 'notFound', message: 'Unknown Application' },
  UNKNOWN_BOX: { kind: 'notFound', message: 'Unknown Box' },
  UNKNOWN_BAN: { kind: 'notFound', message: 'Unknown Ban' },
  UNKNOWN_CHANNEL: { kind: 'notFound', message: 'Unknown Channel' },
  UNKNOWN_COMMAND: { kind: 'notFound', message: 'Unknown application command' },
  UNKNOWN_COMMAND_PERMISSIONS: { kind: 'notFound', message: 'Unknown application command permissions' },
  UNKNOWN_EMOJI: { kind: 'invalid', message: 'Unknown Emoji' },
  UNKNOWN_GUILD_EMOJI: { kind: 'notFound', message: 'Unknown Emoji' },
  UNKNOWN_GUILD: { kind: 'notFound', message: 'Unknown Guild' },
  UNKNOWN_INSTALLATION: { kind: 'notFound', message: 'Unknown Integration' },
  UNKNOWN_INTERACTION: { kind: 'notFound', message: 'Unknown interaction' },
  UNKNOWN_INVITE: { kind: 'notFound', message: 'Unknown Invite' },
  UNKNOWN_MEMBER: { kind: 'notFound', message: 'Unknown Member' },
  UNKNOWN_MESSAGE: { kind: 'notFound', message: 'Unknown Message' },
  UNKNOWN_OVERWRITE: { kind: 'notFound', message: 'Unknown Overwrite' },
  UNKNOWN_PERSONAL_TOKEN: { kind: 'notFound', message: 'This personal token does not exist or was revoked.' },
  UNKNOWN_ROLE: { kind: 'notFound', message: 'Unknown Role' },
  UNKNOWN_SESSION: { kind: 'notFound', message: 'This session does not exist or has ended.' },
  UNKNOWN_SOUND: { kind: 'notFound', message: 'Unknown sound' },
  UNKNOWN_STICKER: { kind: 'notFound', message: 'Unknown sticker' },
  UNKNOWN_TEAM: { kind: 'notFound', message: 'Unknown Team' },
  UNKNOWN_TEAM_MEMBER: { kind: 'notFound', message: 'Unknown Team Member' },
  UNKNOWN_TEAM_INVITATION: { kind: 'notFound', message: 'Unknown Team Invitation' },
  UNKNOWN_USER: { kind: 'notFound', message: 'Unknown User' },
  UNKNOWN_VOICE_STATE: { kind: 'notFound', message: 'Unknown Voice State' },
  UNKNOWN_WEBHOOK: { kind: 'notFound', message: 'Unknown Webhook' },
  INVALID_WEBHOOK_TOKEN: { kind: 'unauthenticated', message: 'Invalid Webhook Token' },
  INVITE_CODE_TAKEN: { kind: 'invalid', message: 'Invite code was either invalid or taken' },
  WIDGET_DISABLED: { kind: 'forbidden', message: 'Widget Disabled' },
  INVALID_RESET_TOKEN: {
    kind: 'invalid',
    message: 'This password reset link is invalid, expired or already used. Request a new one.',
  },
  INVALID_RECIPIENT: { kind: 'invalid', message: 'Invalid Recipient(s)' },
  INVALID_INPUT: { kind: 'invalid', message: 'Invalid Form Body' },
  INVALID_JSON: { kind: 'invalid' },
  INVALID_ROLE: { kind: 'invalid', message: 'Invalid Role' },
  NOT_IN_VOICE: { kind: 'invalid', message: 'Target user is not connected to voice.' },
  WRONG_CHANNEL_TYPE: { kind: 'invalid', message: 'Cannot send messages in a non-text channel' },
  BULK_DELETE_COUNT: {
    kind: 'invalid',
    message:
      'Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete',
  },
  BULK_DELETE_TOO_OLD: { kind: 'invalid', message: 'A message provided was too old to bulk delete' },
  EMPTY_MESSAGE: { kind: 'invalid', message: 'Cannot send an empty message' },
  SEVERAL_PARENTS: { kind: 'invalid', message: 'Only one channel can have a parent_id modified at a time' },
  NOT_MESSAGE_AUTHOR: { kind: 'forbidden', message: 'Cannot edit a message authored by another user' },
  NOBODY_BANNED: { kind: 'invalid', message: 'Failed to ban users' },
  ALREADY_ACKNOWLEDGED: { kind: 'conflict', message: 'Interaction has already been acknowledged.' },
  COMMAND_NAME_TAKEN: { kind: 'conflict' },
  TOO_MANY_COMMANDS: { kind: 'limitReached' },
  TOO_MANY_COMMAND_CREATES: { kind: 'limitReached' },
  TOO_MANY_FOLLOW_UPS: { kind: 'limitReached' },
  TOO_MANY_ATTACHMENTS: { kind: 'limitReached' },
  TOO_MANY_EMOJIS: { kind: 'limitReached' },
  TOO_MANY_ANIMATED_EMOJIS: { kind: 'limitReached' },
  TOO_MANY_PRUNES: {
    kind: 'limitReached',
    message: 'Maximum number of prune requests has been reached. Try again later',
  },
  TOO_MANY_PINS: { kind: 'limitReached' },
  TOO_MANY_WEBHOOKS: { kind: 'limitReached' },
  TOO_MANY_CHANNELS: { kind: 'limitReached' },
  TOO_MANY_OVERWRITES: { kind: 'limitReached' },
  TOO_MANY_REACTIONS: { kind: 'limitReached' },
  FILE_TOO_LARGE: { kind: 'tooLarge' },
  REQUEST_TOO_LARGE: { kind: 'tooLarge', message: 'Request entity too large' },
  INVALID_REQUEST: { kind: 'invalid' },
  INVALID_CLIENT: {
    kind: 'unauthenticated',
    message: 'The client is unknown, or its credentials are invalid or missing.',
  },
  INVALID_GRANT: { kind: 'invalid' },
  INVALID_SCOPE: { kind: 'invalid' },
  UNAUTHORIZED_CLIENT: { kind: 'invalid' },
  UNSUPPORTED_GRANT_TYPE: { kind: 'invalid', message: 'The grant type is not supported.' },
  UNSUPPORTED_RESPONSE_TYPE: { kind: 'invalid', message: 'response_type must be code.' },
  REGISTRATION_CLOSED: { kind: 'forbidden', message: 'This instance does not accept new accounts.' },
  ACCESS_DENIED: {
    kind: 'forbidden',
    message: 'The resource owner or authorization server denied the request.',
  },
  MISSING_SCOPE: { kind: 'forbidden', message: 'Missing required OAuth2 scope' },
  CONFLICT: { kind: 'conflict' },
  LIMIT_EXCEEDED: { kind: 'limitReached' },
  RATE_LIMITED: { kind: 'rateLimited' },
  SLOW_MODE: { kind: 'rateLimited', message: 'This action cannot be performed due to slowmode rate limit' },
  OVERLOADED: { kind: 'overloaded' },
  OUTCOME_UNKNOWN: {
    kind: 'conflict',
    message:
      'The database did not respond in time, so the request may or may not have succeeded. Check before you retry it.',
  },
} as const satisfies Record<string, Refusal>;

export type ErrorCode = keyof typeof REFUSALS;

type CodeWithMessage = {
  [Code in ErrorCode]: (typeof REFUSALS)[Code] extends { message: string } ? Code : never;
}[ErrorCode];

export const ERROR_CODES = Object.keys(REFUSALS) as ErrorCode[];

export interface FieldFault {
  /** Steps joined by dots: `embeds.0.fields.2.name`. Empty for the whole input. */
  path: string;
  /** Discord's name for the fault. */
  code: string;
  message: string;
}

export interface DomainErrorDetails {
  fields?: FieldFault[];
  /** For `RATE_LIMITED`, `SLOW_MODE` and `OVERLOADED`. */
  retryAfterMs?: number;
  /** Further JSON properties, sent by entry points whose errors can hold them. */
  shown?: Readonly<Record<string, unknown>>;
  /** For the log only. */
  cause?: unknown;
}

/** A refusal whose message may be shown to the caller. Any other error is a bug or an outage. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly kind: ErrorKind;
  readonly fields: FieldFault[];
  readonly retryAfterMs: number | undefined;
  readonly shown: Readonly<Record<string, unknown>>;

  constructor(code: CodeWithMessage, message?: string, details?: DomainErrorDetails);
  constructor(code: ErrorCode, message: string, details?: DomainErrorDetails);
  constructor(
    readonly code: ErrorCode,
    message?: string,
    details: DomainErrorDetails = {},
  ) {
    const refusal: Refusal = REFUSALS[code];
    super(message ?? refusal.message, { cause: details.cause });
    this.kind = refusal.kind;
    this.fields = details.fields ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.shown = details.shown ?? {};
  }

  /** For a `Retry-After` header. */
  get retryAfterSeconds(): number | undefined {
    return this.retryAfterMs === undefined ? undefined : Math.ceil(this.retryAfterMs / 1000);
  }
}

/** Retry delay after a concurrency limit was exceeded. */
export const TRY_AGAIN_MS = 1_000;

const UNAVAILABLE_RETRY_MS = 5_000;

/**
 * `OVERLOADED` if the database or the disk was unavailable; null for a bug. Every entry point calls this before it
 * responds with an internal error.
 */
export function refusalIn(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  return isUnavailable(error) ? unavailable(error) : null;
}

/** The refusal of a request that is safe to repeat. */
export function unavailable(cause: unknown): DomainError {
  const details = { cause, retryAfterMs: UNAVAILABLE_RETRY_MS };
  return new DomainError('OVERLOADED', 'The service is temporarily unavailable. Try again in a few seconds.', details);
}

/**
 * As {@link refusalIn}, but `OUTCOME_UNKNOWN` if a write may be committed. After 503, libraries would repeat that
 * write.
 */
export function refusalOfRequest(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  return mayBeDone(error) ? new DomainError('OUTCOME_UNKNOWN', undefined, { cause: error }) : refusalIn(error);
}

export function invalidInput(...fields: FieldFault[]): DomainError {
  return new DomainError('INVALID_INPUT', undefined, { fields });
}

/** Maps the paths of INVALID_INPUT faults of `work`. */
export async function moveFaults<T>(pathOf: (path: string) => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'INVALID_INPUT') throw error;
    const fields = error.fields.map((field) => ({ ...field, path: pathOf(field.path) }));
    throw new DomainError('INVALID_INPUT', error.message, { fields, shown: error.shown });
  }
}

export function faultsWithin<T>(field: string, work: () => Promise<T>): Promise<T> {
  return moveFaults((path) => joinPath(field, path), work);
}

/** As {@link moveFaults}. @param names the caller's field names by the domain's, if they differ */
export function renameFaults<T>(names: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  return moveFaults((path) => {
    const [field = '', ...inside] = path.split('.');
    return joinPath(names[field] ?? field, ...inside);
  }, work);
}

export function joinPath(...parts: (string | number)[]): string {
  return parts.filter((part) => part !== '').join('.');
}

/** The fault of an object whose `field` is not one of `kinds`. */
export function unknownKind(field: string, kinds: readonly unknown[]): Omit<FieldFault, 'path'> {
  const listed = kinds.length === 1 ? `${kinds[0]},` : kinds.join(', ');
  return { code: 'UNION_TYPE_CHOICES', message: `Value of field "${field}" must be one of (${listed}).` };
}

/** For a caller who may see the target but not change it. */
export function missingPermissions(message?: string): DomainError {
  return new DomainError('MISSING_PERMISSIONS', message);
}

/** One line for the logs that developers read. */
export function describeFaults({ message, fields }: DomainError): string {
  return [message, ...fields.map((field) => `${field.path || 'body'}: ${field.message}`)].join('; ');
}

/** @throws OVERLOADED, and any error that is not a refusal */
export async function isAllowed(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.kind !== 'overloaded') return false;
    throw error;
  }
}
