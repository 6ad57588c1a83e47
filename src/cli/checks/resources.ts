import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../config.js';
import { describeStartFault, tryAddress } from '../../start.js';
import { type Check, messageOf } from './check.js';

export async function checkPort(config: Config): Promise<Check> {
  try {
    await tryAddress(config);
    const { socketFd, host, port } = config;
    const place = socketFd === null ? `${host}:${port}` : 'the socket from systemd';
    return { name: 'port', status: 'ok', message: port === 0 ? `${host}, with any free port` : `${place} is free` };
  } catch (error) {
    return { name: 'port', status: 'error', message: describeStartFault(error) ?? messageOf(error) };
  }
}

export function checkDataDir({ dataDir }: Config): Check {
  const existing = nearestExisting(dataDir);
  try {
    if (!statSync(existing).isDirectory()) throw new Error(`${existing} is not a folder`);
    accessSync(existing, constants.W_OK);
  } catch (error) {
    return {
      name: 'data-dir',
      status: 'error',
      message: `${dataDir} cannot be written: ${messageOf(error)}`,
      advice: 'Let this user write there, or set DATA_DIR to another folder.',
    };
  }
  const message = existing === dataDir ? `${dataDir} can be written` : `the first start creates ${dataDir}`;
  return { name: 'data-dir', status: 'ok', message };
}

function nearestExisting(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestExisting(dirname(path));
}

export async function checkDatabase(config: Config): Promise<Check> {
  const { inspectDatabase } = await import('../../infra/database/inspect.js');
  try {
    const { isNew, missing } = await inspectDatabase(config);
    if (isNew) return { name: 'database', status: 'ok', message: 'the first start creates its tables' };
    if (missing.length === 0) return { name: 'database', status: 'ok', message: 'it fits this version' };
    return {
      name: 'database',
      status: 'warning',
      message: `the next start applies ${missing.length} migrations, the last of them ${missing.at(-1)?.name}`,
      advice: 'Back up the database first: an older version of Causeway cannot use it afterwards.',
    };
  } catch (error) {
    return { name: 'database', status: 'error', message: messageOf(error) };
  }
}

export async function checkRedis(redisUrl: string): Promise<Check> {
  const { connectRedis } = await import('../../infra/processes/redis.js');
  const { createLogger } = await import('../../infra/observability/logger.js');
  const { systemClock } = await import('../../infra/clock.js');
  try {
    const link = await connectRedis(redisUrl, systemClock, await createLogger('silent'));
    const isAway = link.isAway();
    link.close();
    if (!isAway) return { name: 'redis', status: 'ok', message: 'it answers' };
    return {
      name: 'redis',
      status: 'warning',
      message: `no answer from ${new URL(redisUrl).host}`,
      advice: 'Start Redis or correct REDIS_URL. Until then, events reach only the process where they happen.',
    };
  } catch (error) {
    return { name: 'redis', status: 'error', message: messageOf(error) };
  }
}
