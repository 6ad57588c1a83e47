import type { Config } from '../../config.js';
import type { RedisFacts } from '../../infra/processes/inspect-redis.js';
import { type Check, failure, messageOf, passed, sizeOf, warning } from './check.js';
import type { ClockReading } from './clock.js';

export async function checkRedis(
  redisUrl: string,
  { redisPrefix }: Config,
): Promise<{ checks: Check[]; clocks: ClockReading[] }> {
  const { connectRedis } = await import('../../infra/processes/redis.js');
  const { inspectRedis } = await import('../../infra/processes/inspect-redis.js');
  const { createLogger } = await import('../../infra/observability/logger.js');
  const { systemClock } = await import('../../infra/clock.js');
  try {
    const link = await connectRedis(redisUrl, systemClock, await createLogger('silent'), redisPrefix);
    try {
      if (link.isAway()) return { checks: [away(redisUrl)], clocks: [] };
      const facts = await inspectRedis(link);
      const clock = { of: 'Redis', offsetMs: facts.clockOffsetMs, withinMs: facts.latencyMs };
      return { checks: [passed('redis', 'it answers'), ...checksOf(facts)], clocks: [clock] };
    } finally {
      link.close();
    }
  } catch (error) {
    return { checks: [failure('redis', messageOf(error), 'Correct REDIS_URL.')], clocks: [] };
  }
}

function away(redisUrl: string): Check {
  return failure(
    'redis',
    `no answer from ${new URL(redisUrl).host}`,
    'Start Redis or correct REDIS_URL. Until then, events reach only the process where they happen.',
  );
}

function checksOf(facts: RedisFacts): Check[] {
  return [...versionOf(facts), writesOf(facts), memoryOf(facts), latencyOf(facts)];
}

/** The first with streams. */
const OLDEST = 5;

function versionOf({ version, isCluster }: RedisFacts): Check[] {
  if (isCluster) {
    return [
      failure(
        'redis-version',
        'it is a cluster, which Causeway does not support',
        'Use a single Redis server. A small one is enough.',
      ),
    ];
  }
  if (version === null) return [];
  if (Number.parseInt(version, 10) >= OLDEST) return [passed('redis-version', `Redis ${version}`)];
  return [failure('redis-version', `Redis ${version} has no streams`, `Use Redis ${OLDEST} or newer.`)];
}

function writesOf({ refusal }: RedisFacts): Check {
  if (refusal === null) return passed('redis-writes', 'it stores and publishes events; persistence is not needed');
  return failure(
    'redis-writes',
    `it refuses to store or publish events: ${refusal}`,
    'Use the primary server and not a replica, give it memory and disk space, and allow EVAL, XADD, PEXPIRE and PUBLISH.',
  );
}

/** Share of the memory limit. */
const NEARLY_FULL = 0.9;

function memoryOf({ maxMemory, usedMemory, evictionPolicy }: RedisFacts): Check {
  const id = 'redis-memory';
  if (maxMemory === 0) return passed(id, `${sizeOf(usedMemory)} used, without a limit`);
  const text = `${sizeOf(usedMemory)} of ${sizeOf(maxMemory)} used`;
  if (evictionPolicy !== null && evictionPolicy !== 'noeviction') {
    return warning(
      id,
      `${text}, and with maxmemory-policy ${evictionPolicy}, a full Redis removes events and counts of rate limits`,
      'Set maxmemory-policy noeviction, or use a Redis for Causeway alone.',
    );
  }
  if (usedMemory < maxMemory * NEARLY_FULL) return passed(id, text);
  return warning(id, text, 'Raise maxmemory: a full Redis refuses events and rate limits.');
}

/** A request waits 500 ms for its rate limit at most, and needs one answer. */
const SLOW_MS = 10;

function latencyOf({ latencyMs }: RedisFacts): Check {
  const text = `a command takes ${latencyMs.toFixed(1)} ms`;
  if (latencyMs <= SLOW_MS) return passed('redis-latency', text);
  return warning('redis-latency', `${text}, and every request waits for one`, 'Run Redis close to Causeway.');
}
