import type { APPLICATION_ROLES, TEAM_ROLES } from '../../gql/roles.js';
import type { TeamRole } from '../../gql/types.js';

export const ROLE_WORDS: Record<TeamRole, string> = {
  OWNER: 'owner',
  ADMIN: 'admin',
  DEVELOPER: 'developer',
  READ_ONLY: 'read-only',
};

/** Ownership is transferred, not assigned. */
export const GIVEN_ROLES = ['ADMIN', 'DEVELOPER', 'READ_ONLY'] as const satisfies readonly TeamRole[];

export const TEAM_WORDS: Record<keyof typeof TEAM_ROLES, string> = {
  VIEW: 'View the team and its applications',
  VIEW_AUDIT_LOG: 'View the audit log',
  UPDATE: 'Change the name and icon',
  INVITE_MEMBER: 'Invite members',
  REVOKE_INVITATION: 'Revoke invitations',
  CHANGE_ROLE: 'Change member roles',
  REMOVE_MEMBER: 'Remove members',
  RECEIVE_APPLICATION: 'Create applications and move their own to the team',
  LEAVE: 'Leave the team',
  TRANSFER_OWNERSHIP: 'Transfer ownership',
  DELETE: 'Delete the team',
};

export const APPLICATION_WORDS: Record<keyof typeof APPLICATION_ROLES, string> = {
  VIEW: 'View all pages',
  VIEW_TESTERS: 'View testers',
  VIEW_AUDIT_LOG: 'View the audit log',
  VIEW_INTERACTIONS: 'View interactions',
  UPDATE_SETTINGS: 'Change settings',
  RESET_CLIENT_SECRET: 'Reset the client secret',
  RESET_BOT_TOKEN: 'Reset the bot token',
  MANAGE_COMMANDS: 'Manage commands',
  MANAGE_EMOJIS: 'Manage emojis',
  MANAGE_WEBHOOKS: 'Manage webhooks',
  MANAGE_TESTERS: 'Invite and remove testers',
  TRANSFER: 'Transfer to a team',
  DELETE: 'Delete the application',
};
