import type { SqlDriverAdapterFactory, SqlQueryable, Transaction } from '@prisma/driver-adapter-utils';
import type { Clock } from '../clock.js';
import type { Logger } from '../observability/logger.js';
import type { Measures } from '../observability/metrics.js';
import { DatabaseUnavailable, isDriverUnavailable } from './faults.js';

/** Time without failures that ends an outage. */
const CALM_MS = 5_000;

/** A full disk or a read-only server refuses only writes. */
type Kind = 'read' | 'write';

/** Logs once when the database becomes unavailable and once when it recovers. */
export class Outages {
  #failedAt: number | null = null;
  /** Whether writes have failed. Successful reads do not end such an outage. */
  #isOfWrites = false;

  constructor(
    private readonly log: Logger,
    private readonly clock: Clock,
    private readonly measures?: Pick<Measures, 'statements' | 'databaseFaults'>,
  ) {}

  /** @param startedAt from `performance.now()` */
  ended(startedAt: number): void {
    this.measures?.statements.observe((performance.now() - startedAt) / 1_000);
  }

  /**
   * @param commits whether the statement was a transaction of its own
   * @returns the error to throw: {@link DatabaseUnavailable} during an outage
   */
  failed(error: unknown, kind: Kind, commits: boolean): unknown {
    if (!isDriverUnavailable(error)) return error;
    this.measures?.databaseFaults.inc();
    if (this.#failedAt === null) {
      this.log.error({ err: error }, 'Database is not available; requests that need it get 503 until it is');
    }
    this.#failedAt = this.clock.now();
    if (kind === 'write') this.#isOfWrites = true;
    return new DatabaseUnavailable(error, commits);
  }

  worked(kind: Kind): void {
    if (this.#failedAt === null || this.clock.now() - this.#failedAt < CALM_MS) return;
    if (this.#isOfWrites && kind === 'read') return;
    this.#failedAt = null;
    this.#isOfWrites = false;
    this.log.info('Database is available again');
  }
}

export function watchOutages(factory: SqlDriverAdapterFactory, outages: Outages): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const adapter = watched(await factory.connect(), outages);
      const startTransaction = adapter.startTransaction.bind(adapter);
      adapter.startTransaction = async (isolationLevel) =>
        watchedTransaction(await watchBegin(outages, () => startTransaction(isolationLevel)), outages);
      return adapter;
    },
  };
}

function watched<Queryable extends SqlQueryable>(queryable: Queryable, outages: Outages): Queryable {
  return watchEach(queryable, outages, {
    provenBy: (sql) => (WRITES.test(sql) ? 'write' : 'read'),
    commits: (sql) => !READS.test(sql),
  });
}

/** A write succeeds only when its transaction commits: the disk may be full by then. */
function watchedTransaction(transaction: Transaction, outages: Outages): Transaction {
  let hasWritten = false;
  const provenBy = (sql: string): Kind => {
    if (hasWritten && COMMITS.test(sql)) return 'write';
    hasWritten ||= WRITES.test(sql);
    return 'read';
  };
  // The server rolls back a transaction whose connection is lost before the commit.
  return watchEach(transaction, outages, { provenBy, commits: (sql) => COMMITS.test(sql) });
}

const READS = /^\s*SELECT\b/i;
const WRITES = /\b(INSERT|UPDATE|DELETE)\b/i;
const COMMITS = /^\s*COMMIT\b/i;

interface Watch {
  /** The kind of statement that a success proves to work. */
  provenBy(sql: string): Kind;
  /** Whether a statement commits its own writes, or those of its transaction. */
  commits(sql: string): boolean;
}

function watchEach<Queryable extends SqlQueryable>(
  queryable: Queryable,
  outages: Outages,
  { provenBy, commits }: Watch,
): Queryable {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  const watch = async <T>(sql: string, work: () => Promise<T>) => {
    const startedAt = performance.now();
    try {
      const result = await work();
      outages.worked(provenBy(sql));
      return result;
    } catch (error) {
      throw outages.failed(error, READS.test(sql) ? 'read' : 'write', commits(sql));
    } finally {
      outages.ended(startedAt);
    }
  };
  queryable.queryRaw = (query) => watch(query.sql, () => queryRaw(query));
  queryable.executeRaw = (query) => watch(query.sql, () => executeRaw(query));
  return queryable;
}

/** Transactions are for writes. A successful begin does not prove that those work. */
async function watchBegin<T>(outages: Outages, begin: () => Promise<T>): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    throw outages.failed(error, 'write', false);
  }
}
