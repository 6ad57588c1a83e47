import { PORTAL_ACTIONS } from '../../gql/audit-actions.js';
import { type Group, starting } from './language.js';

export type PortalAction = (typeof PORTAL_ACTIONS)[number];

/** Labels in the filter. */
export const PORTAL_WORDS: Record<PortalAction, string> = {
  APPLICATION_CREATE: 'Application created',
  APPLICATION_UPDATE: 'Settings changed',
  APPLICATION_DELETE: 'Application deleted',
  APPLICATION_TRANSFER: 'Application moved to a team',
  BOT_TOKEN_RESET: 'Bot token reset',
  CLIENT_SECRET_RESET: 'Client secret reset',
  COMMAND_CREATE: 'Command created',
  COMMAND_UPDATE: 'Command changed',
  COMMAND_DELETE: 'Command deleted',
  COMMANDS_OVERWRITE: 'All commands replaced',
  APPLICATION_EMOJI_CREATE: 'Emoji created',
  APPLICATION_EMOJI_UPDATE: 'Emoji renamed',
  APPLICATION_EMOJI_DELETE: 'Emoji deleted',
  APPLICATION_WEBHOOK_CREATE: 'Webhook created',
  APPLICATION_WEBHOOK_UPDATE: 'Webhook changed',
  APPLICATION_WEBHOOK_DELETE: 'Webhook deleted',
  TESTER_INVITE: 'Tester invited',
  TESTER_ACCEPT: 'Tester invitation accepted',
  TESTER_DECLINE: 'Tester invitation declined',
  TESTER_REMOVE: 'Tester removed',
  TEAM_CREATE: 'Team created',
  TEAM_UPDATE: 'Team changed',
  TEAM_DELETE: 'Team deleted',
  TEAM_TRANSFER_OWNERSHIP: 'Team ownership transferred',
  TEAM_INVITATION_CREATE: 'Member invited',
  TEAM_INVITATION_ACCEPT: 'Invitation accepted',
  TEAM_INVITATION_DECLINE: 'Invitation declined',
  TEAM_INVITATION_REVOKE: 'Invitation revoked',
  TEAM_MEMBER_UPDATE: 'Role changed',
  TEAM_MEMBER_REMOVE: 'Member removed',
  TEAM_MEMBER_LEAVE: 'Member left',
};

const SECRETS = ['BOT_TOKEN_RESET', 'CLIENT_SECRET_RESET'] as const satisfies readonly PortalAction[];

const APPLICATION_GROUPS: readonly Group[] = [
  {
    key: 'application',
    text: 'Application',
    actions: ['APPLICATION_CREATE', 'APPLICATION_UPDATE', 'APPLICATION_TRANSFER', 'APPLICATION_DELETE'],
  },
  { key: 'secrets', text: 'Secrets', actions: SECRETS },
  { key: 'commands', text: 'Commands', actions: starting(PORTAL_ACTIONS, 'COMMAND') },
  { key: 'emojis', text: 'Emojis', actions: starting(PORTAL_ACTIONS, 'APPLICATION_EMOJI') },
  { key: 'webhooks', text: 'Webhooks', actions: starting(PORTAL_ACTIONS, 'APPLICATION_WEBHOOK') },
  { key: 'testers', text: 'Testers', actions: starting(PORTAL_ACTIONS, 'TESTER') },
];

const TEAM_GROUPS: readonly Group[] = [
  { key: 'team', text: 'Team', actions: ['TEAM_CREATE', 'TEAM_UPDATE', 'TEAM_TRANSFER_OWNERSHIP'] },
  {
    key: 'members',
    text: 'Members and invitations',
    actions: starting(PORTAL_ACTIONS, 'TEAM_MEMBER', 'TEAM_INVITATION'),
  },
];

export const GROUPS = {
  application: APPLICATION_GROUPS,
  team: [...TEAM_GROUPS, ...APPLICATION_GROUPS],
} as const;
