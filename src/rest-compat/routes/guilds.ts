import { z } from 'zod';
import { getGuild } from '../../domain/guilds/index.js';
import { renderGuild } from '../../wire/guilds.js';
import { reads } from '../buckets.js';
import { onServerOf, route } from '../route.js';
import { ids, queryBoolean } from '../schemas.js';

export const guildRoutes = [
  route({
    method: 'GET',
    path: '/guilds/:guildId',
    callers: ['bot'],
    bucket: reads('guild', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId'),
    query: z.object({ with_counts: queryBoolean }),
    run: (call, { params, query }) => getGuild(call, { guildId: params.guildId, withCounts: query.with_counts }),
    render: ({ guild, memberCount, presenceCount }) => ({
      ...renderGuild(guild),
      ...(memberCount === null
        ? {}
        : { approximate_member_count: memberCount, approximate_presence_count: presenceCount ?? 0 }),
    }),
  }),
];
