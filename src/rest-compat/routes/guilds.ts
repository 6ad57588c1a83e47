import { z } from 'zod';
import { getGuild } from '../../domain/guilds/index.js';
import { snowflake } from '../../domain/input.js';
import { limits } from '../../domain/limits.js';
import { addMember, nickname } from '../../domain/members/index.js';
import { setRolePositions } from '../../domain/roles/index.js';
import { renderGuild } from '../../wire/guilds.js';
import { renderMember } from '../../wire/members.js';
import { renderRole } from '../../wire/roles.js';
import { reads, writes } from '../buckets.js';
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
  route({
    method: 'PATCH',
    path: '/guilds/:guildId/roles',
    callers: ['bot'],
    bucket: writes('role-positions', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId'),
    body: z.array(z.object({ id: snowflake(), position: z.number().int().nullish() })).max(limits.rolesPerGuild),
    run: (call, { params, body }) =>
      setRolePositions(
        call,
        params.guildId,
        body.map(({ id: roleId, position }) => ({ roleId, position })),
      ),
    render: (roles) => roles.map(renderRole),
  }),
  route({
    method: 'PUT',
    path: '/guilds/:guildId/members/:userId',
    callers: ['bot'],
    bucket: writes('add-member', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ids('guildId', 'userId'),
    body: z.object({
      access_token: z.string(),
      nick: nickname(),
      roles: z.array(snowflake()).max(limits.rolesPerGuild).nullish(),
      mute: z.boolean().nullish(),
      deaf: z.boolean().nullish(),
    }),
    run: (call, { params, body: { access_token: accessToken, roles: roleIds, ...body } }) =>
      addMember(call, { ...params, ...body, accessToken, roleIds }),
    status: { oneOf: [201, 204], of: (member) => (member === null ? 204 : 201) },
    render: (member) => member && renderMember(member),
  }),
];
