import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';

/**
 * Stands in for a PostgreSQL server where Prisma's schema engine compares two schemas: all it asks of one is whether the schema
 * `public` exists, and its version. It reads and changes nothing else there.
 */
export function offlinePostgres(): SqlMigrationAwareDriverAdapterFactory {
  const about = { provider: 'postgres', adapterName: 'offline-postgres' } as const;
  const connection: SqlDriverAdapter = {
    ...about,
    getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: false }),
    async queryRaw({ sql }) {
      if (!sql.includes('server_version_num')) return refuse(sql);
      return {
        columnNames: ['exists', 'version', 'numeric_version'],
        columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
        rows: [[true, 'PostgreSQL 14.0', 140_000]],
      };
    },
    executeRaw: async ({ sql }) => refuse(sql),
    executeScript: async (script) => refuse(script),
    startTransaction: async () => refuse('a transaction'),
    dispose: async () => {},
  };
  const connect = async () => connection;
  return { ...about, connect, connectToShadowDb: connect };
}

function refuse(what: string): never {
  throw new Error(`this needs a PostgreSQL server: ${what}`);
}
