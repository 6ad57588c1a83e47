import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database on the PostgreSQL server under test. */
export interface ThrowAwayDatabase {
  name: string;
  url: string;
  drop(): Promise<void>;
}

/** A new, empty database, or null when the suite runs on SQLite. */
export async function throwAwayDatabase(): Promise<ThrowAwayDatabase | null> {
  const admin = process.env.TEST_DATABASE_URL;
  if (!admin) return null;
  const name = newName('causeway_test');
  return { ...(await create(admin, name, '')), drop: () => dropNow(admin, name) };
}

/**
 * A new database with all that `template` has. Nobody waits for its end, for which the server writes all it has to its disk: copies are
 * dropped one after the other, and what is left of them by {@link dropCopies}.
 */
export async function copyOf(template: string): Promise<ThrowAwayDatabase> {
  const admin = process.env.TEST_DATABASE_URL;
  if (!admin) throw new Error('there are copies on PostgreSQL only');
  const name = newName(template);
  return { ...(await create(admin, name, `TEMPLATE ${template}`)), drop: async () => dropLater(admin, name) };
}

/** Drops the copies of a template that are left. */
export async function dropCopies(template: string): Promise<void> {
  const admin = process.env.TEST_DATABASE_URL;
  if (!admin) return;
  const left = await asAdmin(admin, (client) =>
    client.query<{ datname: string }>('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
      `${template}_`,
    ]),
  );
  for (const { datname } of left.rows) await dropNow(admin, datname);
}

const newName = (prefix: string) => `${prefix}_${randomBytes(8).toString('hex')}`;

async function create(admin: string, name: string, options: string): Promise<Omit<ThrowAwayDatabase, 'drop'>> {
  await asAdmin(admin, async (client) => {
    await client.query(`CREATE DATABASE ${name} ${options}`);
    // What a power cut would take is of no use to a test, and nobody has to wait for the disk.
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  });
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { name, url: url.toString() };
}

let dropping: Promise<unknown> = Promise.resolve();

/** One that fails is tried again in the end. */
function dropLater(admin: string, name: string): void {
  dropping = dropping.then(() => dropNow(admin, name)).catch(() => {});
}

async function dropNow(admin: string, name: string): Promise<void> {
  await asAdmin(admin, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

async function asAdmin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
