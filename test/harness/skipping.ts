/** The name of a test or suite that is skipped when something is missing: then it says what, and the report repeats it. */
export function needing(missing: string | null, name: string): string {
  return missing === null ? name : `${name} (skipped: ${missing})`;
}

/** What is missing according to a name of {@link needing}, or null. */
export function missingIn(fullName: string): string | null {
  return /\(skipped: ([^)]*)\)/.exec(fullName)?.[1] ?? null;
}

/** Why nothing is tried with SQLite in this run: its half of the suite does, on a Node.js that better-sqlite3 was built for. */
export const noSqlite = process.env.TEST_DATABASE_URL ? 'needs the run on SQLite' : null;
