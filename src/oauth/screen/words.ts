import type { Scope } from '../../domain/installations/index.js';
import { Permission } from '../../domain/permissions.js';
import { type Html, html, name } from '../../http/pages/html.js';

export const SCOPE_TEXTS: Record<Scope, { title: string; detail: string }> = {
  identify: { title: 'Know who you are', detail: 'Your user ID, username and avatar.' },
  email: { title: 'Read your email address', detail: 'The verified address of your account.' },
  guilds: {
    title: 'See which servers you are in',
    detail: 'Their names and icons, whether you own them, and your permissions there.',
  },
  'guilds.join': { title: 'Join servers for you', detail: 'Add you to servers that its bot is in.' },
  bot: { title: 'Add its bot to a server', detail: 'The bot becomes a member of the server.' },
  'applications.commands': {
    title: 'Create commands',
    detail: 'Slash commands, and commands in user and message menus.',
  },
  'applications.commands.permissions.update': {
    title: 'Manage who can use its commands',
    detail: 'In servers where you can manage this yourself.',
  },
};

/** Omits the newer of two names of one bit. */
type PermissionName = Exclude<keyof typeof Permission, 'ManageEmojisAndStickers'>;

const PERMISSION_TEXTS: Record<PermissionName, string> = {
  Administrator: 'Administrator',
  ViewChannel: 'View channels',
  ManageChannels: 'Manage channels',
  ManageRoles: 'Manage roles',
  ManageGuildExpressions: 'Manage emoji, stickers and sounds',
  CreateGuildExpressions: 'Create emoji, stickers and sounds',
  ViewAuditLog: 'View audit log',
  ViewGuildInsights: 'View server insights',
  ViewCreatorMonetizationAnalytics: 'View monetization analytics',
  ManageWebhooks: 'Manage webhooks',
  ManageGuild: 'Manage server',
  CreateInstantInvite: 'Create invites',
  ChangeNickname: 'Change own nickname',
  ManageNicknames: 'Manage nicknames',
  KickMembers: 'Kick members',
  BanMembers: 'Ban members',
  ModerateMembers: 'Time out members',
  SendMessages: 'Send messages',
  SendMessagesInThreads: 'Send messages in threads',
  CreatePublicThreads: 'Create public threads',
  CreatePrivateThreads: 'Create private threads',
  EmbedLinks: 'Embed links',
  AttachFiles: 'Attach files',
  AddReactions: 'Add reactions',
  UseExternalEmojis: 'Use external emoji',
  UseExternalStickers: 'Use external stickers',
  MentionEveryone: 'Mention everyone and all roles',
  ManageMessages: 'Manage messages',
  PinMessages: 'Pin messages',
  BypassSlowmode: 'Bypass slow mode',
  ManageThreads: 'Manage threads',
  ReadMessageHistory: 'Read message history',
  SendTTSMessages: 'Send text-to-speech messages',
  SendVoiceMessages: 'Send voice messages',
  SendPolls: 'Create polls',
  UseApplicationCommands: 'Use application commands',
  UseExternalApps: 'Use external apps',
  UseEmbeddedActivities: 'Use activities',
  Connect: 'Connect to voice channels',
  Speak: 'Speak',
  Stream: 'Stream video',
  UseSoundboard: 'Use soundboard',
  UseExternalSounds: 'Use external sounds',
  UseVAD: 'Use voice activity',
  PrioritySpeaker: 'Speak with priority',
  MuteMembers: 'Mute members',
  DeafenMembers: 'Deafen members',
  MoveMembers: 'Move members',
  SetVoiceChannelStatus: 'Set voice channel status',
  RequestToSpeak: 'Request to speak on stages',
  CreateEvents: 'Create events',
  ManageEvents: 'Manage events',
};

export interface NamedPermission {
  bit: bigint;
  text: string;
}

const NAMED_PERMISSIONS: NamedPermission[] = (Object.keys(PERMISSION_TEXTS) as PermissionName[]).map((key) => ({
  bit: Permission[key],
  text: PERMISSION_TEXTS[key],
}));

/** Most powerful first. */
export function namedPermissions(bits: bigint): NamedPermission[] {
  return NAMED_PERMISSIONS.filter(({ bit }) => (bits & bit) !== 0n);
}

export function destination(redirectUri: string): Html {
  const { protocol, origin } = new URL(redirectUri);
  if (protocol === 'http:' || protocol === 'https:') return name(origin);
  return html`the app on this device that opens ${name(protocol)} links`;
}
