import { z } from 'zod';
import {
  createInvite,
  deleteInvite,
  getInvite,
  listChannelInvites,
  listGuildInvites,
  NewInvite,
} from '../../domain/invites/index.js';
import { renderInvite, renderInviteDetails, renderManagedInvite } from '../../wire/invites.js';
import { reads, writes } from '../buckets.js';
import { CLOUD, route } from '../route.js';
import { ids, inWireNames, queryBoolean } from '../schemas.js';

/** Discord's fields for other invite targets are ignored. */
const MakeInvite = inWireNames({ ...NewInvite.shape, unique: z.boolean().nullish() });

const withCode = z.object({ code: z.string() });

export const inviteRoutes = [
  route({
    method: 'GET',
    path: '/channels/:channelId/invites',
    summary: "List a channel's invites",
    callers: ['bot'],
    bucket: reads('channel-invites', 'channelId'),
    where: { by: 'channelId', selfHosted: 'notFound' },
    params: ids('channelId'),
    run: (call, { params }) => listChannelInvites(call, params.channelId),
    render: (invites) => invites.map(renderManagedInvite),
  }),
  route({
    method: 'POST',
    path: '/channels/:channelId/invites',
    summary: 'Create an invite',
    callers: ['bot'],
    bucket: writes('create-invite', 'channelId'),
    where: { by: 'channelId', selfHosted: 'notFound' },
    params: ids('channelId'),
    body: MakeInvite,
    run: (call, { params, body: { unique, ...invite } }) =>
      createInvite(call, params.channelId, { ...invite, reusing: unique !== true }),
    render: renderManagedInvite,
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/invites',
    summary: "List a server's invites",
    callers: ['bot'],
    bucket: reads('guild-invites', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ids('guildId'),
    run: (call, { params }) => listGuildInvites(call, params.guildId),
    render: ({ invites, withMetadata }) => invites.map(withMetadata ? renderManagedInvite : renderInvite),
  }),
  route({
    method: 'GET',
    path: '/invites/:code',
    summary: 'Get an invite',
    callers: [],
    bucket: reads('invite', 'code'),
    where: CLOUD,
    params: withCode,
    query: z.object({ with_counts: queryBoolean }),
    run: (call, { params, query }) => getInvite(call, { ...params, withCounts: query.with_counts }),
    render: renderInviteDetails,
  }),
  route({
    method: 'DELETE',
    path: '/invites/:code',
    summary: 'Delete an invite',
    callers: ['bot'],
    bucket: writes('delete-invite', 'code'),
    where: CLOUD,
    params: withCode,
    run: (call, { params }) => deleteInvite(call, params.code),
    render: renderManagedInvite,
  }),
];
