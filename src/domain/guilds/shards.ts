import { type CallContext, requireUser } from '../call.js';

/**
 * As on the reference platform. The gateway allows more (docs/gateway.md, G-19), because ids do not spread evenly over
 * shards.
 */
const GUILDS_PER_SHARD = 1_000;

/** @throws UNAUTHENTICATED */
export async function recommendShards(call: CallContext): Promise<number> {
  const { user } = requireUser(call);
  let guilds = 0;
  for await (const page of call.guilds.pagesOfGuildIds(user.id)) guilds += page.length;
  return Math.max(1, Math.ceil(guilds / GUILDS_PER_SHARD));
}
