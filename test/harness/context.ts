import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { inject } from 'vitest';
import { readConfig } from '../../src/config.js';
import { type AppContext, createAppContext } from '../../src/context.js';
import { BoxClientRef, BoxRoutes } from '../../src/domain/boxes/index.js';
import { DatabaseGuildStore } from '../../src/domain/guilds/index.js';
import { InstanceLimits } from '../../src/domain/instance-limits/index.js';
import { systemClock } from '../../src/infra/clock.js';
import { createAddressSignatures } from '../../src/infra/crypto/address-signatures.js';
import { watchEventLoop } from '../../src/infra/observability/loop-lag.js';
import { createMetrics, endMetrics } from '../../src/infra/observability/metrics.js';
import { openResources } from '../../src/resources.js';
import { createEndpoints } from '../../src/rest-compat/index.js';
import { renderEvent } from '../../src/wire/events/index.js';
import { renderPing } from '../../src/wire/interactions-endpoints.js';
import { placeOfBlobs } from './blobs-on-s3.js';
import { migratedDatabase, migratedFolder } from './server.js';

/** The context of a process without a listener, with a database and folder of its own. */
export async function openContext(
  env: Record<string, string> = {},
): Promise<{ app: AppContext; close(): Promise<void> }> {
  const dataDir = await migratedFolder();
  const database = await migratedDatabase();
  const url: Record<string, string> = database ? { DATABASE_URL: database.url } : {};
  const config = readConfig({
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    SHARED_DATA_DIR: 'on',
    ...placeOfBlobs(inject('s3')),
    ...url,
    ...env,
  });
  const log = pino({ level: 'silent' });
  const loop = watchEventLoop();
  const metrics = createMetrics(loop);
  const clocks = { clock: systemClock, connectionClock: systemClock };
  const { close, redis: _none, ...resources } = await openResources(config, log, clocks, metrics);
  const addresses = {
    publicUrl: 'http://localhost',
    listeningAt: '',
    operationsUrl: '',
    gatewayUrl: 'ws://localhost/gateway',
    signatures: createAddressSignatures(['a secret'], systemClock),
  };
  const app = createAppContext({
    ...resources,
    instanceLimits: new InstanceLimits({
      ...resources,
      ...clocks,
      reader: resources.db.reader,
      log,
      reports: null,
      filesPerAccountMb: config.filesPerAccountMb,
    }),
    config,
    addresses,
    clientAddress: () => '192.0.2.1',
    log,
    ...clocks,
    metrics,
    boxRoutes: new BoxRoutes(resources.db.reader, resources.bus, systemClock),
    boxes: new BoxClientRef(),
    parity: [],
    guilds: new DatabaseGuildStore(resources.db.reader, resources.bus, systemClock),
    render: (event) => renderEvent(event, addresses),
    renderPing,
    endpoints: createEndpoints({ ...resources, clock: systemClock, addresses, metrics }),
  });
  return {
    app,
    async close() {
      loop.stop();
      endMetrics(metrics);
      await close();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
