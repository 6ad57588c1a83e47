import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';

/**
 * Replaces a PostgreSQL server when Prisma's schema engine compares two schemas. The engine only asks whether the
 * schema `public` exists, and for the version.
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
  throw new Error(`this script needs a PostgreSQL server: ${what}`);
}
