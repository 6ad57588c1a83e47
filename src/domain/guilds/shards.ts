import { type CallContext, requireUser } from '../call.js';

/**
 * How many guilds a shard of a bot is meant to hold, as on the reference platform. The gateway allows more (docs/gateway.md, G-19),
 * since ids spread over shards by the millisecond of their making, and so not quite evenly.
 */
const GUILDS_PER_SHARD = 1_000;

/** How many shards the calling bot is recommended to run, 1 at least. @throws UNAUTHENTICATED */
export async function recommendShards(call: CallContext): Promise<number> {
  const { user } = requireUser(call);
  let guilds = 0;
  for await (const page of call.guilds.pagesOfGuildIds(user.id)) guilds += page.length;
  return Math.max(1, Math.ceil(guilds / GUILDS_PER_SHARD));
}
