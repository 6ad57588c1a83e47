import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { type DomainError, type ErrorKind, type FieldFault, refusalOfRequest } from '../domain/errors.js';
import { STATUS_OF_KIND } from '../http/faults.js';
import { isMissingRow } from '../infra/database/faults.js';
import type { Logger } from '../infra/observability/logger.js';

type PortalCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'BAD_USER_INPUT'
  | 'CONFLICT'
  | 'LIMIT_EXCEEDED'
  | 'RATE_LIMITED';

const CODE_OF_KIND: Record<ErrorKind, PortalCode> = {
  unauthenticated: 'UNAUTHENTICATED',
  forbidden: 'FORBIDDEN',
  notFound: 'NOT_FOUND',
  invalid: 'BAD_USER_INPUT',
  conflict: 'CONFLICT',
  tooLarge: 'LIMIT_EXCEEDED',
  limitReached: 'LIMIT_EXCEEDED',
  rateLimited: 'RATE_LIMITED',
  overloaded: 'RATE_LIMITED',
};

/** Before execution, these kinds get their own HTTP status, all others 400. */
const KINDS_WITH_STATUS: ReadonlySet<ErrorKind> = new Set([
  'unauthenticated',
  'forbidden',
  'tooLarge',
  'rateLimited',
  'overloaded',
]);

export function statusOf({ kind }: DomainError): number {
  return KINDS_WITH_STATUS.has(kind) ? STATUS_OF_KIND[kind] : 400;
}

export function renderDomainError(error: DomainError, at?: GraphQLError): GraphQLError {
  const code = CODE_OF_KIND[error.kind];
  const retry = error.retryAfterSeconds === undefined ? {} : { retryAfter: error.retryAfterSeconds };
  const { http } = at?.extensions ?? {};
  const fields = code === 'BAD_USER_INPUT' ? { fields: fieldsOf(error) } : {};
  const extensions = { ...error.shown, code, ...fields, ...retry, ...(http ? { http } : {}) };
  return new GraphQLError(messageOf(error), { nodes: at?.nodes, path: at?.path, extensions });
}

function messageOf({ message, fields }: DomainError): string {
  const [first] = fields;
  return first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : message;
}

type FaultsByPath = Record<string, { code: string; message: string }[]>;

/** By input path; the empty path is for the whole input. */
function fieldsOf(error: DomainError): FaultsByPath {
  const { code, message } = error;
  const faults: FieldFault[] = error.fields.length > 0 ? error.fields : [{ path: '', code, message }];
  const fields: FaultsByPath = {};
  for (const { path, ...fault } of faults) fields[path] = [...(fields[path] ?? []), fault];
  return fields;
}

/** Errors can pass through here again. */
const rendered = new WeakSet<Error>();

/** Renders any thrown value. Unexpected errors are logged, and the message has only the request id. */
export function renderError(error: unknown, log: Logger): GraphQLError {
  const located = error instanceof GraphQLError ? error : undefined;
  if (located && rendered.has(located)) return located;
  const shown = render(located?.originalError ?? error, located, log);
  rendered.add(shown);
  return shown;
}

function render(cause: unknown, located: GraphQLError | undefined, log: Logger): GraphQLError {
  const refusal = refusalOfRequest(cause);
  if (refusal) return renderDomainError(refusal, located);
  if (located && cause instanceof GraphQLError) return badDocument(located);
  if (isMissingRow(cause)) return notThereAnyMore(cause, located, log);
  return internalError(cause, located, log);
}

/** The row was deleted concurrently. */
function notThereAnyMore(cause: unknown, at: GraphQLError | undefined, log: Logger): GraphQLError {
  log.warn({ err: cause }, 'A row was deleted during a GraphQL operation; the caller gets NOT_FOUND');
  const extensions = { code: 'NOT_FOUND' satisfies PortalCode };
  return new GraphQLError('This no longer exists.', { nodes: at?.nodes, path: at?.path, extensions });
}

function internalError(cause: unknown, at: GraphQLError | undefined, log: Logger): GraphQLError {
  const requestId = randomUUID();
  log.error({ err: cause, requestId }, 'GraphQL operation failed; the caller gets the request ID');
  const message = `Internal error (request ${requestId})`;
  return new GraphQLError(message, { nodes: at?.nodes, path: at?.path, extensions: { requestId } });
}

function badDocument(error: GraphQLError): GraphQLError {
  const { http } = error.extensions;
  return new GraphQLError(error.message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: { code: 'BAD_USER_INPUT', fields: {}, ...(http ? { http } : {}) },
  });
}
