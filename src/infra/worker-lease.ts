import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock, Timer } from './clock.js';

/** Worker numbers for processes that share a Redis; 0 is for a process alone, and 256 and up for boxes. */
const FIRST_WORKER = 1;
const LAST_WORKER = 255;

const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 15_000;

export interface WorkerLease {
  worker: number;
  release(): Promise<void>;
}

/** Renews the lease only while it is still the caller's. */
const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end`;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end`;

/**
 * Leases a snowflake worker that no other process has, and keeps it.
 * @param onLost called once when the lease could not be kept: another process may use the worker from then on, so this one
 *   must make no more ids
 * @throws when all workers are taken
 */
export async function leaseWorker(redis: Redis, clock: Clock, onLost: () => void): Promise<WorkerLease> {
  const owner = randomUUID();
  const worker = await takeFreeWorker(redis, owner);
  const key = keyOf(worker);
  let timer: Timer;
  let keptUntil = clock.now() + LEASE_MS;
  const renew = async () => {
    const askedAt = clock.now();
    const kept = await redis.eval(RENEW, 1, key, owner, LEASE_MS).catch(() => null);
    if (kept === 1) keptUntil = askedAt + LEASE_MS;
    if (kept === 0 || clock.now() > keptUntil - RENEW_EVERY_MS) onLost();
    else timer = clock.after(RENEW_EVERY_MS, renew);
  };
  timer = clock.after(RENEW_EVERY_MS, renew);
  return {
    worker,
    async release() {
      timer.cancel();
      await redis.eval(RELEASE, 1, key, owner);
    },
  };
}

async function takeFreeWorker(redis: Redis, owner: string): Promise<number> {
  for (let worker = FIRST_WORKER; worker <= LAST_WORKER; worker += 1) {
    if ((await redis.set(keyOf(worker), owner, 'PX', LEASE_MS, 'NX')) === 'OK') return worker;
  }
  throw new Error(`all snowflake workers from ${FIRST_WORKER} to ${LAST_WORKER} are taken`);
}

function keyOf(worker: number): string {
  return `causeway:worker:${worker}`;
}
