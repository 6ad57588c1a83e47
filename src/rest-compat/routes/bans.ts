import { z } from 'zod';
import {
  banMember,
  banMembers,
  DeleteMessageSeconds,
  getBan,
  listBans,
  UsersToBan,
  unbanMember,
} from '../../domain/bans/index.js';
import { limits } from '../../domain/limits.js';
import { renderBan } from '../../wire/bans.js';
import { reads, writes } from '../buckets.js';
import { onServerOf, route } from '../route.js';
import { ids, inWireNames, queryId, queryInteger } from '../schemas.js';

const ofGuild = ids('guildId');
const ofUser = ids('guildId', 'userId');

const DAY_SECONDS = 86_400;

export const banRoutes = [
  route({
    method: 'GET',
    path: '/guilds/:guildId/bans',
    summary: "List a server's bans",
    description: 'In order of user ids.',
    callers: ['bot'],
    bucket: reads('list-bans', 'guildId'),
    where: onServerOf('guildId'),
    params: ofGuild,
    query: z.object({ limit: queryInteger(1, 1_000, 1_000), before: queryId, after: queryId }),
    run: (call, { params, query }) => listBans(call, { ...params, ...query }),
    render: (bans) => bans.map(renderBan),
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/bans/:userId',
    summary: 'Get a ban',
    callers: ['bot'],
    bucket: reads('ban', 'guildId'),
    where: onServerOf('guildId'),
    params: ofUser,
    run: (call, { params }) => getBan(call, params),
    render: renderBan,
  }),
  route({
    method: 'PUT',
    path: '/guilds/:guildId/bans/:userId',
    summary: 'Ban a user',
    description: "The user doesn't have to be a member. Optionally deletes their recent messages.",
    callers: ['bot'],
    bucket: writes('create-ban', 'guildId'),
    where: onServerOf('guildId'),
    params: ofUser,
    body: z.object({
      delete_message_seconds: DeleteMessageSeconds,
      // Older clients send this field.
      delete_message_days: z.number().int().min(0).max(7).nullish(),
    }),
    // discord.py sends it in the query.
    query: z.object({ delete_message_seconds: queryInteger(0, limits.bannedMessagesAge, 0) }),
    run: async (call, { params, query, body }) => {
      const seconds = query.delete_message_seconds || (body.delete_message_days ?? 0) * DAY_SECONDS;
      await banMember(call, { ...params, deleteMessageSeconds: body.delete_message_seconds ?? seconds });
    },
  }),
  route({
    method: 'DELETE',
    path: '/guilds/:guildId/bans/:userId',
    summary: 'Lift a ban',
    callers: ['bot'],
    bucket: writes('delete-ban', 'guildId'),
    where: onServerOf('guildId'),
    params: ofUser,
    run: (call, { params }) => unbanMember(call, params),
  }),
  route({
    method: 'POST',
    path: '/guilds/:guildId/bulk-ban',
    summary: 'Ban up to 200 users',
    description: 'Returns which users were banned and which were not.',
    callers: ['bot'],
    bucket: writes('bulk-ban', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ofGuild,
    body: inWireNames({ userIds: UsersToBan, deleteMessageSeconds: DeleteMessageSeconds }),
    run: (call, { params, body }) => banMembers(call, { ...params, ...body }),
    render: ({ bannedIds, failedIds }) => ({
      banned_users: bannedIds.map(String),
      failed_users: failedIds.map(String),
    }),
  }),
];
