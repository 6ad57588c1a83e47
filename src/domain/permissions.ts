import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { z } from 'zod';

export const Permission = PermissionFlagsBits;

export const ALL_PERMISSIONS: bigint = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);

/** As on Discord. */
export const DEFAULT_EVERYONE_PERMISSIONS: bigint =
  Permission.CreateInstantInvite |
  Permission.AddReactions |
  Permission.Stream |
  Permission.ViewChannel |
  Permission.SendMessages |
  Permission.SendTTSMessages |
  Permission.EmbedLinks |
  Permission.AttachFiles |
  Permission.ReadMessageHistory |
  Permission.MentionEveryone |
  Permission.UseExternalEmojis |
  Permission.Connect |
  Permission.Speak |
  Permission.UseVAD |
  Permission.ChangeNickname |
  Permission.UseApplicationCommands |
  Permission.RequestToSpeak |
  Permission.CreatePublicThreads |
  Permission.CreatePrivateThreads |
  Permission.UseExternalStickers |
  Permission.SendMessagesInThreads |
  Permission.UseEmbeddedActivities |
  Permission.UseSoundboard |
  Permission.UseExternalSounds |
  Permission.SendVoiceMessages |
  Permission.SendPolls |
  Permission.UseExternalApps;

/** A direct channel has no roles, and no group to mention. */
export const DIRECT_PERMISSIONS: bigint =
  Permission.AddReactions |
  Permission.ViewChannel |
  Permission.SendMessages |
  Permission.EmbedLinks |
  Permission.AttachFiles |
  Permission.ReadMessageHistory |
  Permission.UseExternalEmojis |
  Permission.PinMessages;

export interface Overwrite {
  targetId: bigint;
  allow: bigint;
  deny: bigint;
}

export interface GuildPermissionInput {
  id: bigint;
  ownerId: bigint;
  /** Includes `@everyone`, whose id is the guild's. */
  rolePermissions: ReadonlyMap<bigint, bigint>;
}

export interface PermissionHolder {
  userId: bigint;
  roleIds: readonly bigint[];
  isTimedOut: boolean;
}

interface HolderInput {
  roleIds: readonly bigint[];
  communicationDisabledUntil: Date | null;
}

/**
 * @param now milliseconds since the Unix epoch
 * @param member null for a user who is not a member
 */
export function holderAt(now: number, userId: bigint, member: HolderInput | null): PermissionHolder {
  return { userId, roleIds: member?.roleIds ?? [], isTimedOut: timeoutEnd(now, member) !== null };
}

/** In milliseconds since the Unix epoch. Null unless the timeout is in force. */
export function timeoutEnd(now: number, member: Pick<HolderInput, 'communicationDisabledUntil'> | null): number | null {
  const end = member?.communicationDisabledUntil?.getTime() ?? 0;
  return end > now ? end : null;
}

/** A timed-out member keeps only these permissions (Discord's documentation, Permissions). */
const LOOKING_ON: bigint = Permission.ViewChannel | Permission.ReadMessageHistory;

export function guildPermissions(guild: GuildPermissionInput, holder: PermissionHolder): bigint {
  const bits = basePermissions(guild, holder);
  return holder.isTimedOut && bits !== ALL_PERMISSIONS ? bits & LOOKING_ON : bits;
}

/** Ignores timeouts. The owner and administrators have all permissions. */
function basePermissions(guild: GuildPermissionInput, { userId, roleIds }: PermissionHolder): bigint {
  if (userId === guild.ownerId) return ALL_PERMISSIONS;
  let bits = guild.rolePermissions.get(guild.id) ?? 0n;
  for (const roleId of roleIds) bits |= guild.rolePermissions.get(roleId) ?? 0n;
  return withImplied(bits);
}

interface MembershipRow {
  userId: bigint;
  communicationDisabledUntil: Date | null;
  roles: { roleId: bigint }[];
  guild: { id: bigint; ownerId: bigint; roles: RoleRow[] };
}

interface RoleRow {
  id: bigint;
  permissions: bigint;
}

/** @param now milliseconds since the Unix epoch */
export function memberPermissions({ userId, roles, guild, ...member }: MembershipRow, now: number): bigint {
  const { id, ownerId } = guild;
  const facts = { id, ownerId, rolePermissions: rolePermissions(guild.roles) };
  const roleIds = roles.map(({ roleId }) => roleId);
  return guildPermissions(facts, holderAt(now, userId, { ...member, roleIds }));
}

export function rolePermissions(roles: RoleRow[]): Map<bigint, bigint> {
  return new Map(roles.map((role) => [role.id, role.permissions]));
}

export function withImplied(bits: bigint): bigint {
  return (bits & Permission.Administrator) !== 0n ? ALL_PERMISSIONS : bits;
}

interface ChannelPermissionInput {
  /** Discord's channel type. */
  type: number;
  overwrites: readonly Overwrite[];
}

/**
 * Applies overwrites in this order: `@everyone`, roles (allow wins), user. Then removes implicitly denied permissions.
 */
export function channelPermissions(
  guild: GuildPermissionInput,
  { type, overwrites }: ChannelPermissionInput,
  holder: PermissionHolder,
): bigint {
  const base = basePermissions(guild, holder);
  if (base === ALL_PERMISSIONS) return base;
  const bits = usable(overwritten(base, guild.id, overwrites, holder), type);
  return holder.isTimedOut ? bits & LOOKING_ON : bits;
}

function overwritten(
  base: bigint,
  guildId: bigint,
  overwrites: readonly Overwrite[],
  { userId, roleIds }: PermissionHolder,
): bigint {
  let bits = base;
  const everyone = overwrites.find((overwrite) => overwrite.targetId === guildId);
  if (everyone) bits = (bits & ~everyone.deny) | everyone.allow;
  let allow = 0n;
  let deny = 0n;
  for (const overwrite of overwrites) {
    if (!roleIds.includes(overwrite.targetId)) continue;
    allow |= overwrite.allow;
    deny |= overwrite.deny;
  }
  bits = (bits & ~deny) | allow;
  const own = overwrites.find((overwrite) => overwrite.targetId === userId);
  return own ? (bits & ~own.deny) | own.allow : bits;
}

/** Denied if Send Messages is denied (Discord's documentation, Permissions). */
const BY_SENDING: bigint =
  Permission.MentionEveryone | Permission.SendTTSMessages | Permission.AttachFiles | Permission.EmbedLinks;

/** Denied if Connect is denied in a voice channel. */
const BY_CONNECTING: bigint =
  Permission.ManageChannels |
  Permission.ManageRoles |
  Permission.PrioritySpeaker |
  Permission.Stream |
  Permission.Speak |
  Permission.MuteMembers |
  Permission.DeafenMembers |
  Permission.MoveMembers |
  Permission.UseVAD |
  Permission.RequestToSpeak |
  Permission.UseEmbeddedActivities |
  Permission.UseSoundboard |
  Permission.UseExternalSounds;

const VOICE_CHANNELS: readonly number[] = [ChannelType.GuildVoice, ChannelType.GuildStageVoice];

/** Removes implicitly denied bits. */
function usable(bits: bigint, type: number): bigint {
  if ((bits & Permission.ViewChannel) === 0n) return 0n;
  let rest = bits;
  if ((bits & Permission.SendMessages) === 0n) rest &= ~BY_SENDING;
  if ((bits & Permission.Connect) === 0n && VOICE_CHANNELS.includes(type)) rest &= ~BY_CONNECTING;
  return rest;
}

export function allows(bits: bigint, needed: bigint): boolean {
  return (bits & needed) === needed;
}

/** If a bit has two names, the later one wins. */
const NAMES = new Map(Object.entries(PermissionFlagsBits).map(([name, bit]) => [bit, name]));

/** Display names, such as `Manage Guild`. */
export function permissionNames(bits: bigint): string[] {
  const held = [...NAMES].filter(([bit]) => (bits & bit) !== 0n);
  return held.map(([, name]) => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' '));
}

const PERMISSION_STRING = /^\d{1,32}$/;

export function isPermissionString(text: string): boolean {
  return PERMISSION_STRING.test(text);
}

/** Drops unknown bits. */
export function parsePermissions(text: string): bigint {
  return BigInt(text) & ALL_PERMISSIONS;
}

export function permissionString() {
  return z.string().regex(PERMISSION_STRING, { error: 'Permissions are a decimal number of up to 32 digits.' });
}

/** Accepts a string or a whole number. Absent or null means no bits. */
export function permissionBits() {
  return z
    .union([z.string(), z.number(), z.bigint()])
    .transform(String)
    .pipe(permissionText())
    .nullish()
    .transform((bits) => bits ?? 0n);
}

/** As {@link permissionString}, but parsed. */
export function permissionText() {
  return permissionString().transform(parsePermissions);
}
