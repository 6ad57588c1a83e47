import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface ThrowAwayDatabase {
  name: string;
  url: string;
  drop(): Promise<void>;
}

/** A server for the suite on SQLite, too. */
const POSTGRES_URL =
  process.env.TEST_DATABASE_URL ?? process.env.TEST_POSTGRES_URL ?? 'postgresql://postgres@127.0.0.1:5432/test';

/** The reason why a test of the suite on SQLite cannot use PostgreSQL as well, or null. */
export async function missingPostgres(): Promise<string | null> {
  try {
    await asAdmin(POSTGRES_URL, (client) => client.query('SELECT 1'));
    return null;
  } catch {
    return `no PostgreSQL answers at ${new URL(POSTGRES_URL).host}; name another one with TEST_POSTGRES_URL`;
  }
}

/**
 * A new, empty database, or null if the suite runs on SQLite.
 * @param options of CREATE DATABASE
 */
export async function throwAwayDatabase(options = ''): Promise<ThrowAwayDatabase | null> {
  const admin = process.env.TEST_DATABASE_URL;
  return admin ? throwAwayDatabaseOn(admin, options) : null;
}

/** A new, empty database, also if the suite runs on SQLite. */
export async function throwAwayDatabaseOn(admin = POSTGRES_URL, options = ''): Promise<ThrowAwayDatabase> {
  const name = newName('causeway_test');
  return { ...(await create(admin, name, options)), drop: () => dropNow(admin, name) };
}

/** Unused copies. Emptying one takes a hundredth of the time of a new copy, and writes nothing to the disk. */
const unused: Omit<ThrowAwayDatabase, 'drop'>[] = [];

const INSUFFICIENT_PRIVILEGE = '42501';

/** Larger copies, in bytes, are dropped and not emptied. They would keep their size and their planner statistics. */
const LARGE = 24 * 2 ** 20;

/**
 * A database with the content of `template`: an unused copy of this process, or a new one. Dropping a large copy is
 * slow and runs in the background; {@link dropCopies} drops the rest.
 */
export async function copyOf(template: string): Promise<ThrowAwayDatabase> {
  const admin = process.env.TEST_DATABASE_URL;
  if (!admin) throw new Error('there are copies on PostgreSQL only');
  const copy = (await emptied(admin)) ?? (await create(admin, newName(template), `TEMPLATE ${template}`));
  let inUse = true;
  const drop = async () => {
    if (inUse) unused.push(copy);
    inUse = false;
  };
  return { ...copy, drop };
}

/** Ends all connections to an unused copy and restores the content of its template. Null if none can be restored. */
async function emptied(admin: string): Promise<Omit<ThrowAwayDatabase, 'drop'> | null> {
  const copy = unused.pop();
  if (!copy) return null;
  try {
    if (await asAdmin(copy.url, emptyUnlessLarge)) return copy;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
  }
  dropLater(admin, copy.name);
  return emptied(admin);
}

/**
 * Ends the connections with locks on a client's database, for migrations or exclusive use.
 * @returns their number
 */
export async function endLockHolders(client: pg.Client): Promise<number | null> {
  const { rowCount } = await client.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  return rowCount;
}

async function emptyUnlessLarge(client: pg.Client): Promise<boolean> {
  await client.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  const { rows } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
  if (Number(rows[0]?.size) > LARGE) return false;
  await client.query(EMPTY);
  return true;
}

/** The schema in which a template keeps the rows of its migrations. */
const KEPT = 'kept_by_template';

/**
 * Runs a statement for each table except that of the migrations. `%I` in it is the table. Foreign keys are not checked.
 */
const forEachTable = (statement: string, schema = 'public') => `
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename <> '_prisma_migrations' LOOP
    EXECUTE replace('${statement}', '%I', quote_ident(name));
  END LOOP;`;

const EMPTY = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  ${forEachTable('DELETE FROM %I')}
  ${forEachTable(`INSERT INTO %I SELECT * FROM ${KEPT}.%I`, KEPT)}
END $$`;

const KEEP = `DO $$ DECLARE name text; BEGIN
  CREATE SCHEMA ${KEPT};
  ${forEachTable(`CREATE TABLE ${KEPT}.%I AS TABLE %I`)}
END $$`;

/** Stores the current rows of a migrated database, so that its copies can be restored. */
export async function makeTemplate({ url }: ThrowAwayDatabase): Promise<void> {
  await asAdmin(url, (client) => client.query(KEEP));
}

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
    // Test data need not survive a power failure, so commits do not wait for the disk.
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  });
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { name, url: url.toString() };
}

let dropping: Promise<unknown> = Promise.resolve();

/** A failed drop is repeated at the end. */
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
