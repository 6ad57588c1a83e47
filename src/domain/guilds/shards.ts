import type { GuildStore } from './store.js';

/**
 * As on the reference platform. The gateway allows more (docs/gateway.md, G-19), because ids do not spread evenly over
 * shards.
 */
const GUILDS_PER_SHARD = 1_000;

export function recommendShards(guilds: number): number {
  return Math.max(1, Math.ceil(guilds / GUILDS_PER_SHARD));
}

/** Guilds of a user, in the cloud and on boxes. */
export async function countGuilds(guilds: GuildStore, userId: bigint): Promise<number> {
  let count = 0;
  for await (const page of guilds.pagesOfGuildIds(userId)) count += page.length;
  return count;
}
