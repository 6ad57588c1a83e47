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

/** Copies that nobody uses any more. To empty one takes a hundredth of the time that another would take, and the disk none. */
const unused: Omit<ThrowAwayDatabase, 'drop'>[] = [];

/** PostgreSQL's code for it. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** Beyond it (in bytes) a copy is dropped rather than emptied: it would keep the size, and what the planner knows of it. */
const LARGE = 24 * 2 ** 20;

/**
 * A database with what `template` has, and no more: one of this process that is not used any more, or a new one. Nobody waits for the end of
 * a large one, for which the server writes all it has to its disk, and what is left is dropped by {@link dropCopies}.
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

/** Ends all connections to an unused copy and takes it back to what its template has; null where none can be. */
async function emptied(admin: string): Promise<Omit<ThrowAwayDatabase, 'drop'> | null> {
  const copy = unused.pop();
  if (!copy) return null;
  try {
    if (await asAdmin(copy.url, emptyUnlessLarge)) return copy;
  } catch (error) {
    // Where the user may not set session_replication_role, another copy has to do.
    if (!(error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
  }
  dropLater(admin, copy.name);
  return emptied(admin);
}

/** Ends the connections by which processes have locks on a client's database, migrating or alone. @returns how many there were */
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

/** The schema in which a template keeps the rows that its migrations made. */
const KEPT = 'kept_by_template';

/** Runs a statement for each table but that of the migrations; `%I` in it is the table. Foreign keys are not looked at meanwhile. */
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

/** Lets copies of a database that has all migrations be emptied to what it has now. */
export async function makeTemplate({ url }: ThrowAwayDatabase): Promise<void> {
  await asAdmin(url, (client) => client.query(KEEP));
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
