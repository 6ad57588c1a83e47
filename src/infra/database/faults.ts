import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import { BlobsUnavailable } from '../storage/blobs.js';
import { Prisma } from './generated/sqlite/client.js';

export function isMissingRow(error: unknown): boolean {
  return hasCode(error, 'P2025');
}

export function isUniqueConflict(error: unknown): boolean {
  return hasCode(error, 'P2002');
}

export function isMissingReference(error: unknown): boolean {
  return hasCode(error, 'P2003') || isFaultOfStatement(error, 'ForeignKeyConstraintViolation');
}

/** A transaction did not begin in time, or exceeded its time limit. */
export function isTooSlow(error: unknown): boolean {
  return hasCode(error, 'P2028');
}

/** The error's shape depends on where the conflict was detected. */
export function isWriteConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (hasCode(error, 'P2034') || isFaultOfStatement(error, 'TransactionWriteConflict')) return true;
  return `${error.message} ${String(error.cause)}`.includes('TransactionWriteConflict');
}

function isFaultOfStatement(error: unknown, kind: string): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const fault = error.meta?.driverAdapterError;
  return fault instanceof Error && isDriverAdapterError(fault) && fault.cause.kind === kind;
}

/** The database is unreachable, full, locked or too slow. A retry may succeed. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  /** Whether a write may have been committed, because its answer did not arrive. */
  readonly mayBeDone: boolean;

  /** @param commits whether the failed statement is a transaction of its own */
  constructor(cause: unknown, commits = true) {
    super('the database is not available', { cause });
    this.mayBeDone = commits && !isNotDone(cause);
  }
}

/** Whether the database, the disk or the upload store caused the error. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseUnavailable || error instanceof BlobsUnavailable) return true;
  if (isTooSlow(error) || codeIn(error, FULL_DISK)) return true;
  return isUnavailable(error.cause);
}

export function mayBeDone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof DatabaseUnavailable ? error.mayBeDone : mayBeDone(error.cause);
}

/** Whether a driver error proves that the statement was not sent, or that the database refused it. */
function isNotDone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isDriverAdapterError(error)) {
    const { kind, originalCode = '' } = error.cause;
    return NOT_CONNECTED_KINDS.has(kind) || REFUSALS.test(originalCode);
  }
  return codeIn(error, NOT_CONNECTED) || NOT_SENT.test(error.message);
}

export function isDriverUnavailable(error: unknown): boolean {
  if (isDriverAdapterError(error)) {
    const { kind, originalCode = '' } = error.cause;
    return (
      UNAVAILABLE_KINDS.has(kind) || POSTGRES_UNAVAILABLE.test(originalCode) || SQLITE_UNAVAILABLE.test(originalCode)
    );
  }
  return error instanceof Error && (codeIn(error, UNREACHABLE) || PG_CONNECTION_LOST.test(error.message));
}

const NOT_CONNECTED_KINDS = new Set([
  'AuthenticationFailed',
  'DatabaseAccessDenied',
  'DatabaseDoesNotExist',
  'DatabaseNotReachable',
  'TlsConnectionError',
  'TooManyConnections',
]);

const UNAVAILABLE_KINDS = new Set([...NOT_CONNECTED_KINDS, 'ConnectionClosed', 'SocketTimeout']);

/**
 * PostgreSQL's classes (documentation, Appendix A). 08: connection exception, also from pgbouncer. 53: insufficient
 * resources, such as a full disk. 57P0: server starting or stopping. 58: system error. 57014: cancelled statement.
 * 55P03: lock not available. 25006: read-only server.
 */
const POSTGRES_UNAVAILABLE = /^(08...|53...|57P0.|58...|57014|55P03|25006)$/;

const SQLITE_UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL)(_|$)/;

/** PostgreSQL's and SQLite's codes for refused statements: no space, no lock, cancelled, starting or read-only. */
const REFUSALS = /^(53...|57014|57P03|55P03|25006|SQLITE_(BUSY|LOCKED|FULL|READONLY)(_.*)?)$/;

const NOT_CONNECTED = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

const UNREACHABLE = new Set([...NOT_CONNECTED, 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

const FULL_DISK = new Set(['ENOSPC', 'EDQUOT']);

/** Messages of pg, without a code, for statements that were not sent. */
const NOT_SENT =
  /^(timeout exceeded when trying to connect|Client (was closed|has encountered)|Connection terminated due to connection timeout)/;

/** Messages of pg for lost connections and connection timeouts. */
const PG_CONNECTION_LOST =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|Client (was closed|has encountered))/;

function codeIn(error: unknown, codes: ReadonlySet<string>): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.has(error.code);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;
}
