import { z } from 'zod';
import { requireUser } from '../../domain/call.js';
import { recommendShards } from '../../domain/guilds/index.js';
import { IDENTIFY_CONCURRENCY, IDENTIFY_PER_DAY } from '../../domain/limits.js';
import { reads } from '../buckets.js';
import { CLOUD, route } from '../route.js';

const nothing = z.object({});

/** Discord's documentation, Gateway. */
export const gatewayRoutes = [
  route({
    method: 'GET',
    path: '/gateway',
    summary: "Get the gateway's URL",
    callers: [],
    bucket: reads('gateway'),
    where: CLOUD,
    params: nothing,
    run: async (_call, _input, app) => app.addresses.gatewayUrl,
    render: (url) => ({ url }),
  }),
  route({
    method: 'GET',
    path: '/gateway/bot',
    summary: "Get the gateway's URL and connection limits",
    description: 'Returns the recommended number of shards and how many sessions the bot can still start.',
    callers: ['bot'],
    bucket: reads('gateway-bot'),
    where: CLOUD,
    params: nothing,
    run: async (call, _input, app) => ({
      url: app.addresses.gatewayUrl,
      shards: await recommendShards(call),
      budget: await call.limits.peek(IDENTIFY_PER_DAY, String(requireUser(call).user.id)),
    }),
    render: ({ url, shards, budget }) => ({
      url,
      shards,
      session_start_limit: {
        total: budget.limit,
        remaining: budget.remaining,
        reset_after: budget.resetAfterMs,
        max_concurrency: IDENTIFY_CONCURRENCY,
      },
    }),
  }),
];
