import type { Config, Mode } from '../../config.js';
import { checkBucket } from './bucket.js';
import type { Check } from './check.js';
import { checkClock } from './clock.js';
import { checkCloud } from './cloud.js';
import { checkDatabase, type DatabaseResult } from './database.js';
import { checkArgon2, checkNode, checkPortal, checkSharp, checkSqlite } from './installation.js';
import { checkDataDir, checkDisk, checkMemory, checkOpenFiles } from './machine.js';
import { checkMail } from './mail.js';
import { checkPort } from './port.js';
import { checkProxy } from './proxy.js';
import { checkRedis } from './redis.js';
import { checkSettings } from './settings.js';

export interface CheckOptions {
  /** Gets a test mail. */
  sendMail?: string;
  environment?: NodeJS.ProcessEnv;
}

/**
 * Checks the installation, the settings, this machine, and the services that the settings name. It changes no data:
 * it writes and removes one object in the S3 store and a key in Redis that expires after a second.
 */
export async function runChecks(mode: Mode, options: CheckOptions = {}): Promise<Check[]> {
  const { config, checks: settings } = checkSettings(mode, options.environment ?? process.env);
  const installation = [checkNode(), await checkSharp(), await checkArgon2(), checkPortal()];
  const machine = [checkOpenFiles(), checkMemory()];
  if (config === null) return [...installation, ...settings, ...machine];
  const sqlite = config.databaseUrl === null ? [await checkSqlite()] : [];
  const hasDriver = sqlite.every(({ state }) => state === 'ok');
  return [
    ...installation,
    ...sqlite,
    ...settings,
    ...machine,
    checkDataDir(config),
    checkDisk(config),
    ...(await checkServices(config, hasDriver, options.sendMail ?? null)),
  ];
}

const NOTHING: DatabaseResult = { checks: [], clocks: [] };

async function checkServices(config: Config, hasDriver: boolean, sendMail: string | null): Promise<Check[]> {
  const { check: port, isRunning } = await checkPort(config);
  const [database, redis, bucket, mail, cloud, proxy] = await Promise.all([
    hasDriver ? checkDatabase(config, isRunning) : NOTHING,
    config.redisUrl === null ? NOTHING : checkRedis(config.redisUrl, config),
    config.blobs === null ? NOTHING : checkBucket(config.blobs, config),
    checkMail(config, sendMail),
    config.box === null ? NOTHING : checkCloud(config.box),
    checkProxy(config, isRunning),
  ]);
  const clock = checkClock([database, redis, bucket, cloud].flatMap(({ clocks }) => clocks));
  return [port, ...database.checks, ...redis.checks, ...bucket.checks, ...mail, ...cloud.checks, ...clock, ...proxy];
}
