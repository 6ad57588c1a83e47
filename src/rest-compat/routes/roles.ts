import { z } from 'zod';
import { snowflake } from '../../domain/input.js';
import { limits } from '../../domain/limits.js';
import {
  countRoleMembers,
  createRole,
  deleteRole,
  getRole,
  listRoles,
  RoleFields,
  setRolePositions,
  updateRole,
} from '../../domain/roles/index.js';
import { renderRole } from '../../wire/roles.js';
import { reads, writes } from '../buckets.js';
import { onServerOf, route } from '../route.js';
import { ids } from '../schemas.js';

const ROLES = '/guilds/:guildId/roles';

const ofGuild = ids('guildId');
const ofRole = ids('guildId', 'roleId');

/** Ignores icons and secondary colors, which no guild has. */
const RoleBody = z
  .object({ ...RoleFields.shape, colors: z.object({ primary_color: RoleFields.shape.color }).nullish() })
  .transform(({ colors, color, ...fields }) => ({ ...fields, color: colors?.primary_color ?? color }));

export const roleRoutes = [
  route({
    method: 'GET',
    path: ROLES,
    summary: "List a server's roles",
    callers: ['bot'],
    bucket: reads('list-roles', 'guildId'),
    where: onServerOf('guildId'),
    params: ofGuild,
    run: (call, { params }) => listRoles(call, params.guildId),
    render: (roles) => roles.map(renderRole),
  }),
  route({
    method: 'GET',
    path: `${ROLES}/member-counts`,
    summary: 'Count the members of each role',
    callers: ['bot'],
    bucket: reads('role-member-counts', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ofGuild,
    run: (call, { params }) => countRoleMembers(call, params.guildId),
    render: (counts) => Object.fromEntries([...counts].map(([id, count]) => [String(id), count])),
  }),
  route({
    method: 'GET',
    path: `${ROLES}/:roleId`,
    summary: 'Get a role',
    callers: ['bot'],
    bucket: reads('role', 'guildId'),
    where: onServerOf('guildId'),
    params: ofRole,
    run: (call, { params }) => getRole(call, params),
    render: renderRole,
  }),
  route({
    method: 'POST',
    path: ROLES,
    summary: 'Create a role',
    callers: ['bot'],
    bucket: writes('create-role', 'guildId'),
    where: onServerOf('guildId'),
    params: ofGuild,
    body: RoleBody,
    run: (call, { params, body }) => createRole(call, params.guildId, body),
    render: renderRole,
  }),
  route({
    method: 'PATCH',
    path: ROLES,
    summary: 'Reorder roles',
    callers: ['bot'],
    bucket: writes('role-positions', 'guildId'),
    where: onServerOf('guildId'),
    params: ofGuild,
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
    method: 'PATCH',
    path: `${ROLES}/:roleId`,
    summary: 'Edit a role',
    callers: ['bot'],
    bucket: writes('update-role', 'guildId'),
    where: onServerOf('guildId'),
    params: ofRole,
    body: RoleBody,
    run: (call, { params, body }) => updateRole(call, { ...params, ...body }),
    render: renderRole,
  }),
  route({
    method: 'DELETE',
    path: `${ROLES}/:roleId`,
    summary: 'Delete a role',
    callers: ['bot'],
    bucket: writes('delete-role', 'guildId'),
    where: onServerOf('guildId'),
    params: ofRole,
    run: (call, { params }) => deleteRole(call, params),
  }),
];
