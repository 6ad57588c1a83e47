import { Permission } from './permissions.js';

/**
 * Permissions that each operation needs in addition to membership. Optional parts of an operation have their own row.
 */
export const GUILD_OPERATIONS = {
  viewGuild: 0n,
  updateGuild: Permission.ManageGuild,
  viewGuildSettings: Permission.ManageGuild,
  leaveGuild: 0n,
  installApplication: Permission.ManageGuild,
  uninstallApplication: Permission.ManageGuild,
  createChannel: Permission.ManageChannels,
  setChannelPositions: Permission.ManageChannels,
  createRole: Permission.ManageRoles,
  updateRole: Permission.ManageRoles,
  deleteRole: Permission.ManageRoles,
  createEmoji: Permission.CreateGuildExpressions,
  manageEmojis: Permission.ManageGuildExpressions,
  setRolePositions: Permission.ManageRoles,
  setMemberRoles: Permission.ManageRoles,
  updateOwnNick: Permission.ChangeNickname,
  updateNick: Permission.ManageNicknames,
  muteMember: Permission.MuteMembers,
  deafenMember: Permission.DeafenMembers,
  moveMember: Permission.MoveMembers,
  timeOutMember: Permission.ModerateMembers,
  kickMember: Permission.KickMembers,
  pruneMembers: Permission.KickMembers | Permission.ManageGuild,
  viewBans: Permission.BanMembers,
  banMember: Permission.BanMembers,
  banMembers: Permission.BanMembers | Permission.ManageGuild,
  unbanMember: Permission.BanMembers,
  addMember: Permission.CreateInstantInvite,
  addMemberWithNick: Permission.ManageNicknames,
  addMemberWithRoles: Permission.ManageRoles,
  addMemberMuted: Permission.MuteMembers,
  addMemberDeafened: Permission.DeafenMembers,
  setGreeting: Permission.ManageGuild,
  manageInvites: Permission.ManageGuild,
  manageWebhooks: Permission.ManageGuild,
  viewAuditLog: Permission.ViewAuditLog,
  manageCommandPermissions: Permission.ManageGuild,
  manageCommandPermissionsByToken: Permission.ManageRoles,
} satisfies Record<string, bigint>;

/** Permissions that each operation needs in addition to ViewChannel. */
export const CHANNEL_OPERATIONS = {
  viewChannel: 0n,
  updateChannel: Permission.ManageChannels,
  updateChannelOverwrites: Permission.ManageRoles,
  moveChannelWithOverwrites: Permission.ManageRoles,
  deleteChannel: Permission.ManageChannels,
  setChannelOverwrite: Permission.ManageRoles,
  deleteChannelOverwrite: Permission.ManageRoles,
  createInvite: Permission.CreateInstantInvite,
  manageInvitesOfChannel: Permission.ManageChannels,
  listMessages: 0n,
  listPins: 0n,
  readMessageHistory: Permission.ReadMessageHistory,
  sendMessage: Permission.SendMessages,
  sendEmbeds: Permission.EmbedLinks,
  sendFiles: Permission.AttachFiles,
  sendReadAloud: Permission.SendTTSMessages,
  sendReply: Permission.ReadMessageHistory,
  mentionEveryone: Permission.MentionEveryone,
  startTyping: Permission.SendMessages,
  editMessage: 0n,
  deleteMessage: 0n,
  manageMessages: Permission.ManageMessages,
  deleteMessages: Permission.ManageMessages,
  pinMessage: Permission.PinMessages,
  bypassSlowMode: Permission.BypassSlowmode,
  addReaction: Permission.ReadMessageHistory,
  addNewEmoji: Permission.AddReactions,
  listReactions: Permission.ReadMessageHistory,
  removeReaction: Permission.ReadMessageHistory,
  clearReactions: Permission.ReadMessageHistory | Permission.ManageMessages,
  connectVoice: Permission.Connect,
  useCommands: Permission.UseApplicationCommands,
} satisfies Record<string, bigint>;

export type GuildOperation = keyof typeof GUILD_OPERATIONS;

export type ChannelOperation = keyof typeof CHANNEL_OPERATIONS;

export type GuildOperations = [GuildOperation, ...GuildOperation[]];
export type ChannelOperations = [ChannelOperation, ...ChannelOperation[]];

export function neededInGuild(operations: readonly GuildOperation[]): bigint {
  return operations.reduce((bits, operation) => bits | GUILD_OPERATIONS[operation], 0n);
}

export function neededInChannel(operations: readonly ChannelOperation[]): bigint {
  return operations.reduce((bits, operation) => bits | CHANNEL_OPERATIONS[operation], Permission.ViewChannel);
}
