import { z } from 'zod';
import { requireUser } from '../../domain/call.js';
import { countGuilds, recommendShards } from '../../domain/guilds/index.js';
import { IDENTIFY_CONCURRENCY, identifyPerDay } from '../../domain/limits.js';
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
    run: async (call, _input, app) => {
      const botId = requireUser(call).user.id;
      const guilds = await countGuilds(call.guilds, botId);
      return {
        url: app.addresses.gatewayUrl,
        shards: recommendShards(guilds),
        budget: await call.limits.peek(identifyPerDay(guilds), String(botId)),
      };
    },
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
