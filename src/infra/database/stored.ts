import type { Prisma } from './generated/sqlite/client.js';

/** The strings of a list in a JSON column; other entries are left out. */
export function storedStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** The object in a JSON column; empty for any other value. */
export function storedObject(value: Prisma.JsonValue | undefined): Prisma.JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
