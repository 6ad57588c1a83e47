import { LRUCache } from 'lru-cache';
import { atMost } from '../../infra/caching/at-most.js';
import { CACHE_MS } from '../../infra/caching/subscribed-cache.js';
import type { Clock } from '../../infra/clock.js';
import { Prisma, type Reader } from '../../infra/database/index.js';

const MAX_GUILDS = 5_000;

/** Approximate online counts of guilds, cached for half a minute. */
export class PresenceCounts {
  readonly #counts: LRUCache<bigint, number>;

  constructor(
    private readonly reader: Reader,
    clock: Clock,
    private readonly now: () => Date,
  ) {
    this.#counts = new LRUCache({ ...atMost(MAX_GUILDS), ttl: CACHE_MS, ttlResolution: 0, perf: clock });
  }

  async of(guildIds: readonly bigint[]): Promise<ReadonlyMap<bigint, number>> {
    const unknown = guildIds.filter((id) => !this.#counts.has(id));
    const counted =
      unknown.length > 0 ? await countOnline(this.reader, unknown, this.now()) : new Map<bigint, number>();
    const counts = new Map(guildIds.map((id) => [id, counted.get(id) ?? this.#counts.get(id) ?? 0]));
    for (const id of unknown) this.#counts.set(id, counts.get(id) ?? 0);
    return counts;
  }
}

async function countOnline(reader: Reader, guildIds: bigint[], now: Date): Promise<Map<bigint, number>> {
  // Cast to text, since a computed column has no declared type.
  const rows = await reader.$queryRaw<{ guildId: string; online: string }[]>`
    SELECT CAST(m."guildId" AS TEXT) AS "guildId", CAST(COUNT(DISTINCT p."userId") AS TEXT) AS "online"
    FROM "Presence" p
    JOIN "LiveProcess" l ON l."id" = p."processId" AND l."until" > ${now}
    JOIN "Member" m ON m."userId" = p."userId"
    WHERE m."guildId" IN (${Prisma.join(guildIds)}) AND p."status" NOT IN ('invisible', 'offline')
    GROUP BY m."guildId"`;
  return new Map(rows.map(({ guildId, online }) => [BigInt(guildId), Number(online)]));
}
