import type { Prisma } from './generated/sqlite/client.js';

/** Reads a JSON column. Leaves out entries that are not strings. */
export function storedStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** The object in a JSON column; empty for any other value. */
export function storedObject(value: Prisma.JsonValue | undefined): Prisma.JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
