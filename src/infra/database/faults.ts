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
  return hasCode(error, 'P2003');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;
}
