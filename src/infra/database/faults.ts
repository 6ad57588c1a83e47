import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import { BlobsUnavailable } from '../blobs.js';
import { Prisma } from './generated/sqlite/client.js';

/** The row that was to be changed or removed is not there. */
export function isMissingRow(error: unknown): boolean {
  return hasCode(error, 'P2025');
}

/** A row with the same unique key is there already. */
export function isUniqueConflict(error: unknown): boolean {
  return hasCode(error, 'P2002');
}

/** A row that the new one refers to is not there (any more). */
export function isMissingReference(error: unknown): boolean {
  return hasCode(error, 'P2003') || isFaultOfStatement(error, 'ForeignKeyConstraintViolation');
}

/** A transaction could not begin in time, or took too long. */
export function isTooSlow(error: unknown): boolean {
  return hasCode(error, 'P2028');
}

/** Two transactions that could not both be right; one of three shapes, depending on where it was noticed. */
export function isWriteConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (hasCode(error, 'P2034') || isFaultOfStatement(error, 'TransactionWriteConflict')) return true;
  return `${error.message} ${String(error.cause)}`.includes('TransactionWriteConflict');
}

/** Whether a statement that was written by hand met a fault of this kind, as Prisma's adapters name them. */
function isFaultOfStatement(error: unknown, kind: string): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const fault = error.meta?.driverAdapterError;
  return fault instanceof Error && isDriverAdapterError(fault) && fault.cause.kind === kind;
}

/** The database is away, full, locked by somebody else, or does not answer in time. The same may work in a moment. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  /** Whether a write may have been committed all the same: its answer did not come. */
  readonly mayBeDone: boolean;

  /** @param commits whether the statement that failed commits by itself */
  constructor(cause: unknown, commits = true) {
    super('the database is not available', { cause });
    this.mayBeDone = commits && !isNotDone(cause);
  }
}

/** Whether something failed because the database, the disk or the store of uploads is away, full, locked or too slow, and not because of what was asked. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseUnavailable || error instanceof BlobsUnavailable) return true;
  if (isTooSlow(error) || codeIn(error, FULL_DISK)) return true;
  return isUnavailable(error.cause);
}

/** Whether a write that failed may be done all the same, because nobody knows what became of it. */
export function mayBeDone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof DatabaseUnavailable ? error.mayBeDone : mayBeDone(error.cause);
}

/** Whether what a database driver threw says that a statement was not done: it was never sent, or the database refused it. */
function isNotDone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isDriverAdapterError(error)) {
    const { kind, originalCode = '' } = error.cause;
    return NOT_CONNECTED_KINDS.has(kind) || REFUSALS.test(originalCode);
  }
  return codeIn(error, NOT_CONNECTED) || NOT_SENT.test(error.message);
}

/** Whether what a database driver threw says that its database cannot be used at the moment. */
export function isDriverUnavailable(error: unknown): boolean {
  if (isDriverAdapterError(error)) {
    const { kind, originalCode = '' } = error.cause;
    return (
      UNAVAILABLE_KINDS.has(kind) || POSTGRES_UNAVAILABLE.test(originalCode) || SQLITE_UNAVAILABLE.test(originalCode)
    );
  }
  return error instanceof Error && (codeIn(error, UNREACHABLE) || PG_CONNECTION_LOST.test(error.message));
}

/** Kinds of faults as Prisma's adapters name them, of both databases: those of a connection that did not come about. */
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
 * PostgreSQL's classes (documentation, Appendix A): 08 connection exceptions, which pgbouncer answers too, 53 insufficient
 * resources such as a full disk, 57P0 the server stops or starts, 58 faults of its system; 57014 a statement that was cancelled,
 * 55P03 a lock that was not to be had, 25006 a server that only reads.
 */
const POSTGRES_UNAVAILABLE = /^(08...|53...|57P0.|58...|57014|55P03|25006)$/;

/** SQLite's result codes, the extended ones of each included. */
const SQLITE_UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL)(_|$)/;

/** Those of both that are answers of a database that goes on, or starts: it has no room, no lock, no time or only reads. */
const REFUSALS = /^(53...|57014|57P03|55P03|25006|SQLITE_(BUSY|LOCKED|FULL|READONLY)(_.*)?)$/;

/** Node's codes of connections that do not come about. */
const NOT_CONNECTED = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

/** Node's codes of connections that do not come about or break. */
const UNREACHABLE = new Set([...NOT_CONNECTED, 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** Node's codes of a file system that has no room. */
const FULL_DISK = new Set(['ENOSPC', 'EDQUOT']);

/** What the pg library says, without a code, of statements that were not sent. */
const NOT_SENT =
  /^(timeout exceeded when trying to connect|Client (was closed|has encountered)|Connection terminated due to connection timeout)/;

/** What it says of connections that were lost or were not to be had in time. */
const PG_CONNECTION_LOST =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|Client (was closed|has encountered))/;

function codeIn(error: unknown, codes: ReadonlySet<string>): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.has(error.code);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;
}
