import { z } from 'zod';
import { openDirectChannel } from '../../domain/channels/index.js';
import { snowflake } from '../../domain/input.js';
import { getOwnUser, listOwnGuilds } from '../../domain/users/index.js';
import { renderChannelDetails } from '../../wire/channels.js';
import { renderOwnGuild } from '../../wire/guilds.js';
import { renderOwnUser } from '../../wire/users.js';
import { OPEN_DIRECT_CHANNELS, reads } from '../buckets.js';
import { CLOUD, route } from '../route.js';
import { queryBoolean, queryId, queryInteger } from '../schemas.js';

export const userRoutes = [
  route({
    method: 'GET',
    path: '/users/@me',
    callers: ['bot', { scope: 'identify' }],
    bucket: reads('users-me'),
    where: CLOUD,
    params: z.object({}),
    run: (call) => getOwnUser(call),
    render: ({ user, email }, { call: { actor } }) =>
      actor.kind === 'token' && !actor.scopes.includes('email')
        ? withoutEmail(renderOwnUser(user, null))
        : renderOwnUser(user, email),
  }),
  route({
    method: 'GET',
    path: '/users/@me/guilds',
    callers: ['bot', { scope: 'guilds' }],
    bucket: reads('users-me-guilds'),
    where: CLOUD,
    params: z.object({}),
    query: z.object({
      before: queryId,
      after: queryId,
      limit: queryInteger(1, 200, 200),
      with_counts: queryBoolean,
    }),
    run: (call, { query: { with_counts: withCounts, ...page } }) => listOwnGuilds(call, { ...page, withCounts }),
    render: (guilds) => guilds.map(renderOwnGuild),
  }),
  route({
    method: 'POST',
    path: '/users/@me/channels',
    callers: ['bot'],
    bucket: OPEN_DIRECT_CHANNELS,
    where: CLOUD,
    params: z.object({}),
    body: z.object({ recipient_id: snowflake() }),
    run: (call, { body }) => openDirectChannel(call, body.recipient_id),
    render: renderChannelDetails,
  }),
];

/** Who may not read the e-mail address is not told whether there is one. */
function withoutEmail({ email: _email, verified: _verified, ...user }: ReturnType<typeof renderOwnUser>) {
  return user;
}
