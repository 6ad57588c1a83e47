import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import { StartError } from '../../config.js';
import { betterSqlite3 } from './sqlite-driver.js';

export interface FolderLock {
  release(): Promise<void>;
}

/**
 * The lock is a transaction on an empty SQLite file, so the system releases it however the process ends. The process id
 * in `causeway.pid` is only for the error message.
 * @throws {StartError} if another server has the lock, in any process
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const pidFile = join(folder, 'causeway.pid');
  const connection = await betterSqlite3({
    url: `file:${join(folder, 'causeway.lock')}`,
    timeout: 0,
  }).connect();
  try {
    await connection.executeScript('BEGIN IMMEDIATE');
  } catch (error) {
    await connection.dispose();
    throw isBusy(error) ? folderInUse(folder, await readPid(pidFile)) : error;
  }
  await writeFile(pidFile, `${process.pid}\n`);
  return {
    async release() {
      await rm(pidFile, { force: true });
      await connection.dispose();
    },
  };
}

/** The owner as text, such as `another Causeway process (process 123)`; null if no running server has the lock. Creates no file. */
export async function findFolderOwner(folder: string): Promise<string | null> {
  const file = join(folder, 'causeway.lock');
  const pidFile = join(folder, 'causeway.pid');
  // Without the file, nothing is locked. An attempt could make a start fail at the same moment.
  if (!existsSync(file) || !existsSync(pidFile)) return null;
  const connection = await betterSqlite3({ url: `file:${file}`, timeout: 0 }).connect();
  try {
    await connection.executeScript('BEGIN IMMEDIATE');
    await connection.executeScript('ROLLBACK');
    return null;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return `another Causeway process${await readPid(pidFile)}`;
  } finally {
    await connection.dispose();
  }
}

function isBusy(error: unknown): boolean {
  return isDriverAdapterError(error) && error.cause.kind === 'SocketTimeout';
}

async function readPid(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^\d+\n$/.test(text) ? ` (process ${text.trim()})` : '';
}

function folderInUse(folder: string, owner: string): StartError {
  return new StartError(
    `DATA_DIR ${folder} is in use by another Causeway process${owner}; stop it or set another DATA_DIR. To run several processes, use PostgreSQL and Redis (docs/operations.md, "Several processes")`,
  );
}
