/**
 * Everything the ledger knows, and who did it: somebody who runs an application or a team (`portal`), somebody who uses an
 * application (`use`), or somebody on a server (`guild`).
 */
const ACTIONS = {
  APPLICATION_CREATE: 'portal',
  APPLICATION_UPDATE: 'portal',
  APPLICATION_DELETE: 'portal',
  APPLICATION_TRANSFER: 'portal',
  BOT_TOKEN_RESET: 'portal',
  CLIENT_SECRET_RESET: 'portal',
  TESTER_INVITE: 'portal',
  TESTER_ACCEPT: 'portal',
  TESTER_DECLINE: 'portal',
  TESTER_REMOVE: 'portal',
  TEAM_CREATE: 'portal',
  TEAM_UPDATE: 'portal',
  TEAM_DELETE: 'portal',
  TEAM_TRANSFER_OWNERSHIP: 'portal',
  TEAM_INVITATION_CREATE: 'portal',
  TEAM_INVITATION_ACCEPT: 'portal',
  TEAM_INVITATION_DECLINE: 'portal',
  TEAM_INVITATION_REVOKE: 'portal',
  TEAM_MEMBER_UPDATE: 'portal',
  TEAM_MEMBER_REMOVE: 'portal',
  TEAM_MEMBER_LEAVE: 'portal',
  OAUTH_AUTHORIZE: 'use',
  OAUTH_REVOKE: 'use',
  OAUTH_REUSE: 'use',
  INSTALLATION_PUT: 'use',
  INSTALLATION_DELETE: 'use',
  GUILD_CREATE: 'guild',
  CHANNEL_CREATE: 'guild',
  ROLE_CREATE: 'guild',
  ROLE_POSITIONS_UPDATE: 'guild',
  INVITE_CREATE: 'guild',
  INVITE_DELETE: 'guild',
  MEMBER_ADD: 'guild',
  MEMBER_ROLE_UPDATE: 'guild',
  BOT_ADD: 'guild',
  MESSAGE_DELETE: 'guild',
} as const satisfies Record<string, 'portal' | 'use' | 'guild'>;

/** What an entry of the audit ledger says was done. */
export type AuditAction = keyof typeof ACTIONS;

/** What the logs of applications and teams show. Who uses an application is not its developers' business. */
export const PORTAL_ACTIONS: readonly string[] = Object.entries(ACTIONS)
  .filter(([, kind]) => kind === 'portal')
  .map(([action]) => action);
