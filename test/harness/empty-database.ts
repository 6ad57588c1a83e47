import { PLATFORM_ID } from '../../src/domain/platform/index.js';
import type { Database, Transaction } from '../../src/infra/database/index.js';

/**
 * Tables whose rows belong to the running process, and the record of migrations. A process without jobs makes no
 * recurring ones.
 */
const KEPT = ['_prisma_migrations', 'InstanceKey', 'LiveProcess', 'Worker'];

/** Tables in which a migration inserted a row for the platform itself. */
const WITH_PLATFORM = ['User', 'Application'];

const MOST_TRIES = 5;

const statementFor = (table: string) =>
  `DELETE FROM "${table}"${WITH_PLATFORM.includes(table) ? ` WHERE "id" <> ${PLATFORM_ID}` : ''}`;

export async function emptyDatabase({ dialect, writer }: Database): Promise<void> {
  const tables = await (dialect === 'sqlite'
    ? writer.$queryRaw<
        { name: string }[]
      >`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
    : writer.$queryRaw<{ name: string }[]>`SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'`);
  const statements = tables.flatMap(({ name }) => (KEPT.includes(name) ? [] : [statementFor(name)]));
  const empty = async (tx: Transaction) => {
    // Foreign keys are checked at the end of the transaction, when no row refers to a missing one.
    if (dialect === 'sqlite') await tx.$executeRawUnsafe('PRAGMA defer_foreign_keys = ON');
    else await tx.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
    for (const statement of statements) await tx.$executeRawUnsafe(statement);
  };
  for (let tries = 1; ; tries += 1) {
    try {
      await writer.$transaction(empty);
      return;
    } catch (error) {
      // The server may still store what the previous file left, such as the ends of sessions, in another order.
      if (tries === MOST_TRIES || !String(error).includes('deadlock detected')) throw error;
    }
  }
}
