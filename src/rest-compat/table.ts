import type { Route } from './route.js';
import { absentRoutes } from './routes/absent.js';
import { applicationRoutes } from './routes/applications.js';
import { auditLogRoutes } from './routes/audit-log.js';
import { banRoutes } from './routes/bans.js';
import { channelRoutes } from './routes/channels.js';
import { commandPermissionPathsWithoutMethods, commandPermissionRoutes } from './routes/command-permissions.js';
import { commandRoutes } from './routes/commands.js';
import { developerPortalRoutes } from './routes/developer-portal.js';
import { emojiRoutes } from './routes/emojis.js';
import { gatewayRoutes } from './routes/gateway.js';
import { guildRoutes } from './routes/guilds.js';
import { interactionRoutes } from './routes/interactions.js';
import { inviteRoutes } from './routes/invites.js';
import { memberRoutes } from './routes/members.js';
import { messageRoutes } from './routes/messages.js';
import { oauth2Routes } from './routes/oauth.js';
import { pinRoutes } from './routes/pins.js';
import { reactionRoutes } from './routes/reactions.js';
import { roleRoutes } from './routes/roles.js';
import { teamRoutes } from './routes/teams.js';
import { userRoutes } from './routes/users.js';
import { voiceRoutes } from './routes/voice.js';
import { webhookRoutes } from './routes/webhooks.js';

/** Every wire route, a list for each noun. */
export const routes: readonly Route[] = [
  ...gatewayRoutes,
  ...userRoutes,
  ...applicationRoutes,
  ...commandRoutes,
  ...guildRoutes,
  ...voiceRoutes,
  ...memberRoutes,
  ...banRoutes,
  ...roleRoutes,
  ...auditLogRoutes,
  ...emojiRoutes,
  ...channelRoutes,
  ...inviteRoutes,
  ...interactionRoutes,
  ...webhookRoutes,
  ...messageRoutes,
  ...pinRoutes,
  ...reactionRoutes,
  ...commandPermissionRoutes,
  ...oauth2Routes,
  ...developerPortalRoutes,
  ...teamRoutes,
  ...absentRoutes,
];

/** Paths that are known and take no method: whatever is asked of them is 405. */
export const pathsWithoutMethods: readonly string[] = commandPermissionPathsWithoutMethods;
