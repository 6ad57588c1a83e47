import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { DatabaseUnavailable } from './faults.js';

/** Refuses use after the close: Prisma would reconnect, and that connection would never be closed. */
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
