import { ApplicationCommandPermissionType } from 'discord-api-types/v10';
import { z } from 'zod';
import { setCommandPermissions } from '../../domain/command-permissions/index.js';
import { snowflake } from '../../domain/input.js';
import { limits } from '../../domain/limits.js';
import { renderCommandPermissions } from '../../wire/command-permissions.js';
import { writes } from '../buckets.js';
import { route } from '../route.js';
import { ids } from '../schemas.js';

const Entry = z.object({
  id: snowflake(),
  type: z.enum(ApplicationCommandPermissionType),
  permission: z.boolean(),
});

export const commandPermissionRoutes = [
  route({
    method: 'PUT',
    path: '/applications/:applicationId/guilds/:guildId/commands/:commandId/permissions',
    summary: "Set a command's permissions in a server",
    description: 'Replaces the whole list.',
    callers: [{ scope: 'applications.commands.permissions.update' }],
    bucket: writes('command-permissions', 'applicationId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ids('applicationId', 'guildId', 'commandId'),
    body: z.object({ permissions: z.array(Entry).max(limits.permissionsPerCommand) }),
    run: (call, { params, body }) =>
      setCommandPermissions(call, {
        ...params,
        entries: body.permissions.map(({ id, type, permission }) => ({
          targetId: id,
          targetType: type,
          allow: permission,
        })),
      }),
    render: renderCommandPermissions,
  }),
];

/** The bulk route returns 405, as on Discord. */
export const commandPermissionPathsWithoutMethods = [
  '/applications/:applicationId/guilds/:guildId/commands/permissions',
];
