/** What somebody may do in a server, by the names of the reference platform: number of the bit, and words. */
const PERMISSIONS = {
  Administrator: [3, 'Administrator'],
  ViewChannel: [10, 'View channels'],
  ManageChannels: [4, 'Manage channels'],
  ManageRoles: [28, 'Manage roles'],
  ManageGuildExpressions: [30, 'Manage emoji, stickers and sounds'],
  CreateGuildExpressions: [43, 'Create emoji, stickers and sounds'],
  ViewAuditLog: [7, 'View the audit log'],
  ViewGuildInsights: [19, 'View server insights'],
  ViewCreatorMonetizationAnalytics: [41, 'View monetization analytics'],
  ManageWebhooks: [29, 'Manage webhooks'],
  ManageGuild: [5, 'Manage the server'],
  CreateInstantInvite: [0, 'Create invites'],
  ChangeNickname: [26, 'Change the own nickname'],
  ManageNicknames: [27, 'Manage nicknames'],
  KickMembers: [1, 'Kick members'],
  BanMembers: [2, 'Ban members'],
  ModerateMembers: [40, 'Time out members'],
  SendMessages: [11, 'Send messages'],
  SendMessagesInThreads: [38, 'Send messages in threads'],
  CreatePublicThreads: [35, 'Create public threads'],
  CreatePrivateThreads: [36, 'Create private threads'],
  EmbedLinks: [14, 'Embed links'],
  AttachFiles: [15, 'Attach files'],
  AddReactions: [6, 'Add reactions'],
  UseExternalEmojis: [18, 'Use emoji of other servers'],
  UseExternalStickers: [37, 'Use stickers of other servers'],
  MentionEveryone: [17, 'Mention everyone and all roles'],
  ManageMessages: [13, 'Manage messages'],
  PinMessages: [51, 'Pin messages'],
  BypassSlowmode: [52, 'Bypass slow mode'],
  ManageThreads: [34, 'Manage threads'],
  ReadMessageHistory: [16, 'Read message history'],
  SendTTSMessages: [12, 'Send text-to-speech messages'],
  SendVoiceMessages: [46, 'Send voice messages'],
  SendPolls: [49, 'Create polls'],
  UseApplicationCommands: [31, 'Use commands of applications'],
  UseExternalApps: [50, 'Use external applications'],
  UseEmbeddedActivities: [39, 'Use activities'],
  Connect: [20, 'Connect to voice channels'],
  Speak: [21, 'Speak'],
  Stream: [9, 'Stream video'],
  UseSoundboard: [42, 'Use the soundboard'],
  UseExternalSounds: [45, 'Use sounds of other servers'],
  UseVAD: [25, 'Use voice activity'],
  PrioritySpeaker: [8, 'Be a priority speaker'],
  MuteMembers: [22, 'Mute members'],
  DeafenMembers: [23, 'Deafen members'],
  MoveMembers: [24, 'Move members'],
  SetVoiceChannelStatus: [48, 'Set the status of voice channels'],
  RequestToSpeak: [32, 'Ask to speak on stages'],
  CreateEvents: [44, 'Create events'],
  ManageEvents: [33, 'Manage events'],
} as const satisfies Record<string, readonly [bit: number, text: string]>;

export type PermissionName = keyof typeof PERMISSIONS;

/** A permission by its bit and its name. */
export interface NamedPermission {
  bit: bigint;
  text: string;
}

/** All of them, the gravest and most general first. */
export const NAMED_PERMISSIONS: readonly NamedPermission[] = Object.values(PERMISSIONS).map(([bit, text]) => ({
  bit: 1n << BigInt(bit),
  text,
}));

/** Those that count for the server at large, of which channels say nothing. */
const OF_SERVER: ReadonlySet<string> = new Set<PermissionName>([
  'Administrator',
  'ManageGuildExpressions',
  'CreateGuildExpressions',
  'ViewAuditLog',
  'ViewGuildInsights',
  'ViewCreatorMonetizationAnalytics',
  'ManageGuild',
  'ChangeNickname',
  'ManageNicknames',
  'KickMembers',
  'BanMembers',
  'ModerateMembers',
]);

/** Those that a channel can allow and deny. */
export const CHANNEL_PERMISSIONS: readonly NamedPermission[] = Object.entries(PERMISSIONS)
  .filter(([name]) => !OF_SERVER.has(name))
  .map(([, [bit, text]]) => ({ bit: 1n << BigInt(bit), text }));

/** Those in decimal bits. */
export function namedPermissions(bits: string): NamedPermission[] {
  const held = BigInt(bits);
  return NAMED_PERMISSIONS.filter(({ bit }) => (held & bit) !== 0n);
}

/** Whether decimal bits hold a permission. */
export function holds(bits: string, name: PermissionName): boolean {
  return (BigInt(bits) & (1n << BigInt(PERMISSIONS[name][0]))) !== 0n;
}

/** Why something is off for somebody with these bits; undefined when they may. */
export function lacks(bits: string, name: PermissionName): string | undefined {
  return holds(bits, name) ? undefined : `Needs the permission “${PERMISSIONS[name][1]}”.`;
}
