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

/** By area. For null, the first path segment is the area. */
const LISTS: readonly [area: string | null, rows: readonly Route[]][] = [
  ['gateway', gatewayRoutes],
  ['users', userRoutes],
  ['applications', applicationRoutes],
  ['commands', commandRoutes],
  ['guilds', guildRoutes],
  ['voice', voiceRoutes],
  ['members', memberRoutes],
  ['bans', banRoutes],
  ['roles', roleRoutes],
  ['audit-log', auditLogRoutes],
  ['emojis', emojiRoutes],
  ['channels', channelRoutes],
  ['invites', inviteRoutes],
  ['interactions', interactionRoutes],
  ['webhooks', webhookRoutes],
  ['messages', messageRoutes],
  ['pins', pinRoutes],
  ['reactions', reactionRoutes],
  ['commands', commandPermissionRoutes],
  ['oauth2', oauth2Routes],
  ['developer-portal', developerPortalRoutes],
  ['teams', teamRoutes],
  [null, absentRoutes],
];

export const routes: readonly Route[] = LISTS.flatMap(([, rows]) => rows);

const areas = new Map(LISTS.flatMap(([area, rows]) => rows.map((row) => [row, area])));

/** Such as `messages`. */
export function areaOf(row: Route): string {
  return areas.get(row) ?? row.path.split('/')[1] ?? '';
}

export const pathsWithoutMethods: readonly string[] = commandPermissionPathsWithoutMethods;
