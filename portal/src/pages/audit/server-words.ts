import { SERVER_ACTIONS } from '../../gql/audit-actions.js';
import { type Group, starting } from './language.js';

export type ServerAction = (typeof SERVER_ACTIONS)[number];

/** Labels in the filter. */
export const SERVER_WORDS: Record<ServerAction, string> = {
  GUILD_UPDATE: 'Settings changed',
  CHANNEL_CREATE: 'Channel created',
  CHANNEL_UPDATE: 'Channel changed',
  CHANNEL_DELETE: 'Channel deleted',
  CHANNEL_OVERWRITE_CREATE: 'Channel permissions set',
  CHANNEL_OVERWRITE_UPDATE: 'Channel permissions changed',
  CHANNEL_OVERWRITE_DELETE: 'Channel permissions reset',
  ROLE_CREATE: 'Role created',
  ROLE_UPDATE: 'Role changed',
  ROLE_DELETE: 'Role deleted',
  EMOJI_CREATE: 'Emoji created',
  EMOJI_UPDATE: 'Emoji changed',
  EMOJI_DELETE: 'Emoji deleted',
  INVITE_CREATE: 'Invite created',
  INVITE_DELETE: 'Invite revoked',
  MEMBER_PRUNE: 'Members pruned',
  MEMBER_KICK: 'Member kicked',
  MEMBER_BAN_ADD: 'Member banned',
  MEMBER_BAN_REMOVE: 'Member unbanned',
  MEMBER_UPDATE: 'Member changed',
  MEMBER_ROLE_UPDATE: 'Member roles changed',
  MEMBER_MOVE: 'Member moved in voice',
  MEMBER_DISCONNECT: 'Member disconnected from voice',
  COMMAND_PERMISSIONS_UPDATE: 'Command permissions changed',
  BOT_ADD: 'Bot added',
  WEBHOOK_CREATE: 'Webhook created',
  WEBHOOK_UPDATE: 'Webhook changed',
  WEBHOOK_DELETE: 'Webhook deleted',
  INTEGRATION_CREATE: 'Application installed',
  INTEGRATION_DELETE: 'Application uninstalled',
  MESSAGE_DELETE: 'Message deleted',
  MESSAGE_BULK_DELETE: 'Messages deleted',
  MESSAGE_PIN: 'Message pinned',
  MESSAGE_UNPIN: 'Message unpinned',
};

export const SERVER_GROUPS: readonly Group[] = [
  { key: 'server', text: 'Server', actions: starting(SERVER_ACTIONS, 'GUILD', 'INVITE') },
  { key: 'channels', text: 'Channels', actions: starting(SERVER_ACTIONS, 'CHANNEL') },
  { key: 'roles', text: 'Roles', actions: starting(SERVER_ACTIONS, 'ROLE') },
  { key: 'members', text: 'Members', actions: starting(SERVER_ACTIONS, 'MEMBER') },
  { key: 'messages', text: 'Messages', actions: starting(SERVER_ACTIONS, 'MESSAGE') },
  { key: 'emojis', text: 'Emojis', actions: starting(SERVER_ACTIONS, 'EMOJI') },
  {
    key: 'integrations',
    text: 'Integrations',
    actions: starting(SERVER_ACTIONS, 'INTEGRATION', 'BOT', 'COMMAND', 'WEBHOOK'),
  },
];
