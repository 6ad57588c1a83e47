import { renderCommandPermissions } from '../command-permissions.js';
import { type EventRows, NO_INTENT } from './row.js';

export const commandPermissionEvents = {
  // The topic is the command's application, because a guild can have commands without the bot.
  APPLICATION_COMMAND_PERMISSIONS_UPDATE: {
    topic: 'user',
    about: ({ permissions }) => ({ userId: permissions.applicationId, guildId: permissions.guildId }),
    invalidates: [],
    audience: { intent: NO_INTENT },
    render: ({ permissions }) => ({ d: renderCommandPermissions(permissions) }),
  },
} satisfies Partial<EventRows>;
