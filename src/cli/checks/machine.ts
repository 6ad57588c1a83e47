import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Config } from '../../config.js';
import { type Check, failure, messageOf, passed, sizeOf, skipped, warning } from './check.js';

/** Files and folders that a running process writes in its data folder. */
const WRITTEN = ['causeway.db', 'causeway.db-wal', 'causeway.lock', 'box.json', 'blobs', 'outbox'];

export function checkDataDir({ dataDir }: Config): Check {
  const existing = nearestExisting(dataDir);
  const fault = writeFault(existing, dataDir);
  if (fault !== null) {
    return failure(
      'data-dir',
      `${dataDir} cannot be written: ${fault}`,
      'Let this user own the folder and everything in it (chown -R), or set DATA_DIR to another folder.',
    );
  }
  if (existing !== dataDir) return passed('data-dir', `the first start creates ${dataDir}`);
  return ownerDoubt(dataDir) ?? passed('data-dir', `${dataDir} can be written, by its owner only`);
}

function nearestExisting(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestExisting(dirname(path));
}

function writeFault(existing: string, dataDir: string): string | null {
  try {
    if (!statSync(existing).isDirectory()) return `${existing} is not a folder`;
    const files = existing === dataDir ? WRITTEN.map((name) => join(dataDir, name)).filter(existsSync) : [];
    for (const path of [existing, ...files]) accessSync(path, constants.W_OK);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Permissions of a group or of others. */
const OF_OTHERS = 0o077;

function ownerDoubt(dataDir: string): Check | null {
  const { uid, mode } = statSync(dataDir);
  // Windows has neither.
  const user = process.getuid?.();
  if (user === undefined) return null;
  if (uid !== user) {
    return warning(
      'data-dir',
      `${dataDir} belongs to user ${uid}, and this command runs as user ${user}`,
      'Run this command as the user of the service, such as sudo -u causeway: the rights of another user prove nothing.',
    );
  }
  if ((mode & OF_OTHERS) === 0) return null;
  return warning(
    'data-dir',
    `other users of this machine can enter ${dataDir}, which has password hashes and messages`,
    `Run chmod 700 ${dataDir}.`,
  );
}

/** `/readyz` reports `disk` below the first. */
const TOO_LITTLE = 64 * 2 ** 20;
const LITTLE = 2 ** 30;

/** Below this many, new files fail although there is space. */
const FEW_FILES = 10_000;

export function checkDisk({ dataDir }: Config): Check {
  const folder = nearestExisting(dataDir);
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${sizeOf(free)} free for ${dataDir}`;
  if (free < TOO_LITTLE) return failure('disk', text, 'Free space. Below 64 MiB, writes are about to fail.');
  if (free < LITTLE) return warning('disk', text, 'Free space, or move DATA_DIR to a larger disk.');
  // File systems without a fixed number of files report 0.
  if (files > 0 && ffree < FEW_FILES) {
    return warning('disk', `${text}, but only for ${ffree} more files`, 'Delete small files on this file system.');
  }
  return passed('disk', text);
}

/** For files, the database, Redis, endpoints and the portal. */
const OTHER_FILES = 256;

/** A small instance has fewer bots and users at once. */
const FEW_CLIENTS = 1_000;

/** Node.js raises its soft limit to the hard limit, so this is the limit that counts. */
export function checkOpenFiles(): Check {
  const [, limit] = /^Max open files +(\d+|unlimited)/m.exec(readLimits()) ?? [];
  if (limit === undefined) return skipped('open-files', 'this system does not show the limit');
  if (limit === 'unlimited') return passed('open-files', 'without a limit');
  const clients = Number(limit) - OTHER_FILES;
  const text = `up to ${limit}, which is enough for about ${Math.max(0, clients)} connections of clients`;
  if (clients >= FEW_CLIENTS) return passed('open-files', text);
  return warning(
    'open-files',
    text,
    'Raise the limit: LimitNOFILE=65536 of systemd, ulimits of a container, or ulimit -n.',
  );
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}

/** A process at rest takes half of it. */
const LITTLE_MEMORY = 384 * 2 ** 20;

/** Share of the memory that the heap may have; buffers and native code need the rest. */
const HEAP_SHARE = 0.8;

export function checkMemory(): Check {
  // Without a limit, this is 0 or a huge number.
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const heap = getHeapStatistics().heap_size_limit;
  const text = `${sizeOf(memory)} for this process, of them up to ${sizeOf(heap)} for the heap`;
  if (memory < LITTLE_MEMORY) return warning('memory', text, 'Give it at least 512 MiB.');
  if (heap <= memory * HEAP_SHARE) return passed('memory', text);
  return warning(
    'memory',
    `${text}, so the system may kill the process before it collects garbage`,
    `Set NODE_OPTIONS=--max-old-space-size=${Math.floor((memory * HEAP_SHARE) / 2 ** 20)}, or raise the limit.`,
  );
}
