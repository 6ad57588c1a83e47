import { z } from 'zod';
import { openDirectChannel } from '../../domain/channels/index.js';
import { leaveGuild } from '../../domain/guilds/index.js';
import { snowflake } from '../../domain/input.js';
import {
  getOwnUser,
  getUser,
  getUserByName,
  listOwnGuilds,
  OwnProfile,
  updateOwnUser,
} from '../../domain/users/index.js';
import { renderChannelDetails } from '../../wire/channels.js';
import { renderOwnGuild } from '../../wire/guilds.js';
import { renderOwnUser, renderUser } from '../../wire/users.js';
import { OPEN_DIRECT_CHANNELS, reads, writes } from '../buckets.js';
import { ICON_BODY_BYTES, imageChange } from '../images.js';
import { CLOUD, route } from '../route.js';
import { ids, queryBoolean, queryId, queryInteger } from '../schemas.js';

export const userRoutes = [
  route({
    method: 'GET',
    path: '/users/@me',
    summary: 'Get the current user',
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
    method: 'PATCH',
    path: '/users/@me',
    summary: "Edit the bot's user",
    callers: ['bot'],
    bucket: writes('edit-user'),
    where: CLOUD,
    params: z.object({}),
    body: z.object({ username: OwnProfile.shape.username, avatar: imageChange }),
    faultNames: { icon: 'avatar' },
    maxJsonBytes: ICON_BODY_BYTES,
    run: (call, { body }) => updateOwnUser(call, body),
    render: (user) => renderOwnUser(user, null),
  }),
  route({
    method: 'GET',
    path: '/users/by-name/:name',
    summary: 'Find a user by name',
    callers: ['bot'],
    bucket: reads('user-by-name', 'name'),
    where: CLOUD,
    params: z.object({ name: z.string() }),
    run: (call, { params }) => getUserByName(call, params.name),
    render: renderUser,
  }),
  route({
    method: 'GET',
    path: '/users/:userId',
    summary: 'Get a user',
    callers: ['bot'],
    bucket: reads('user', 'userId'),
    where: CLOUD,
    params: ids('userId'),
    run: (call, { params }) => getUser(call, params.userId),
    render: renderUser,
  }),
  route({
    method: 'DELETE',
    path: '/users/@me/guilds/:guildId',
    summary: 'Leave a server',
    callers: ['bot'],
    bucket: writes('leave-guild', 'guildId'),
    // The cloud stores installations, even for servers on a box.
    where: CLOUD,
    params: ids('guildId'),
    run: (call, { params }) => leaveGuild(call, params.guildId),
  }),
  route({
    method: 'GET',
    path: '/users/@me/guilds',
    summary: "List the current user's servers",
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
    summary: 'Open a direct message channel',
    callers: ['bot'],
    bucket: OPEN_DIRECT_CHANNELS,
    where: CLOUD,
    params: z.object({}),
    body: z.object({ recipient_id: snowflake() }),
    run: (call, { body }) => openDirectChannel(call, body.recipient_id),
    render: renderChannelDetails,
  }),
];

/** Without the `email` scope, callers cannot see whether there is an address. */
function withoutEmail({ email: _email, verified: _verified, ...user }: ReturnType<typeof renderOwnUser>) {
  return user;
}
