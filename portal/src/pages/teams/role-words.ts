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
  VIEW: 'See the team and its applications',
  VIEW_AUDIT_LOG: 'Read its audit log',
  UPDATE: 'Change its name and icon',
  INVITE_MEMBER: 'Invite members',
  REVOKE_INVITATION: 'Revoke invitations',
  CHANGE_ROLE: 'Change roles of members',
  REMOVE_MEMBER: 'Remove members',
  RECEIVE_APPLICATION: 'Make applications in it, and move theirs here',
  LEAVE: 'Leave it',
  TRANSFER_OWNERSHIP: 'Hand it over',
  DELETE: 'Delete it',
};

export const APPLICATION_WORDS: Record<keyof typeof APPLICATION_ROLES, string> = {
  VIEW: 'See all of its pages',
  VIEW_TESTERS: 'See its testers',
  VIEW_AUDIT_LOG: 'Read its audit log',
  VIEW_INTERACTIONS: 'See its interactions',
  UPDATE_SETTINGS: 'Change its settings',
  RESET_CLIENT_SECRET: 'Reset its client secret',
  RESET_BOT_TOKEN: 'Reset its bot token',
  MANAGE_COMMANDS: 'Manage its commands',
  MANAGE_EMOJIS: 'Manage its emojis',
  MANAGE_WEBHOOKS: 'Manage its webhooks',
  MANAGE_TESTERS: 'Invite and remove testers',
  TRANSFER: 'Move it to a team',
  DELETE: 'Delete it',
};
