import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { DatabaseUnavailable } from './faults.js';

/**
 * The same database, which nobody can use after it was closed: Prisma would open it again for whoever asks something then, and
 * nobody would close that.
 */
export function connectedOnce(factory: SqlDriverAdapterFactory): SqlDriverAdapterFactory {
  let hasConnected = false;
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      if (hasConnected) throw new DatabaseUnavailable(new Error('the database is closed'), false);
      const adapter = await factory.connect();
      hasConnected = true;
      return adapter;
    },
  };
}
