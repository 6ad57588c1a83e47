/**
 * The name of a test or suite. If it is skipped because something is missing, the name has the reason, and the report
 * repeats it.
 */
export function needing(missing: string | null, name: string): string {
  return missing === null ? name : `${name} (skipped: ${missing})`;
}

/** The reason in a name of {@link needing}, or null. */
export function missingIn(fullName: string): string | null {
  return /\(skipped: ([^)]*)\)/.exec(fullName)?.[1] ?? null;
}

/**
 * The reason why tests on SQLite do not run, or null. The run on SQLite has them, with a Node.js that better-sqlite3
 * supports.
 */
export const noSqlite = process.env.TEST_DATABASE_URL ? 'needs the run on SQLite' : null;
