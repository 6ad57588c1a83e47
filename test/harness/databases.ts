import { randomUUID } from 'node:crypto';
import pg from 'pg';

/**
 * A new database on the PostgreSQL server under test, or null when the suite runs on SQLite.
 * @param template the database it is a copy of; an empty one unless stated
 */
export async function throwAwayDatabase(
  template: string | null = null,
): Promise<{ url: string; drop(): Promise<void> } | null> {
  const admin = process.env.TEST_DATABASE_URL;
  if (!admin) return null;
  const name = `causeway_test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(
    admin,
    `CREATE DATABASE ${name} ${template === null ? '' : `TEMPLATE ${template}`}`,
    // What a power cut would take is of no use to a test, and nobody has to wait for the disk.
    `ALTER DATABASE ${name} SET synchronous_commit = off`,
  );
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => asAdmin(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function asAdmin(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
