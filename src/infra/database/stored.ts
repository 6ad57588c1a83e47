import type { Prisma } from './generated/sqlite/client.js';

/** A list of texts in a JSON column, as it stands there. */
export function storedStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** The members of an object in a JSON column; none for anything else that stands there. */
export function storedObject(value: Prisma.JsonValue | undefined): Prisma.JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
