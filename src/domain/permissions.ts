import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { z } from 'zod';

export const Permission = PermissionFlagsBits;

/** Every permission bit there is. */
export const ALL_PERMISSIONS: bigint = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);

/** What `@everyone` may do in a new guild, as on the reference platform. */
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

/** What a recipient of a direct channel may do in it: there are no roles to say otherwise, and nobody to mention at large. */
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

/** The facts of a guild that decide what its members may do. */
export interface PermissionFacts {
  id: bigint;
  ownerId: bigint;
  /** Role id to its permission bits, `@everyone` (whose id is the guild's) included. */
  rolePermissions: ReadonlyMap<bigint, bigint>;
}

/** Somebody at a moment: what decides their permissions beside the guild. */
export interface PermissionHolder {
  userId: bigint;
  roleIds: readonly bigint[];
  /** Whether they may only look on. */
  isTimedOut: boolean;
}

/** The part of a membership that decides what somebody may do. */
interface HolderFacts {
  roleIds: readonly bigint[];
  communicationDisabledUntil: Date | null;
}

/**
 * Somebody as they are now.
 * @param now milliseconds since the Unix epoch
 * @param member null for somebody who is no member, who is what everybody is
 */
export function holderAt(now: number, userId: bigint, member: HolderFacts | null): PermissionHolder {
  return { userId, roleIds: member?.roleIds ?? [], isTimedOut: timeoutEnd(now, member) !== null };
}

/** When a timeout that is on at `now` ends; null where there is none. */
export function timeoutEnd(now: number, member: Pick<HolderFacts, 'communicationDisabledUntil'> | null): number | null {
  const end = member?.communicationDisabledUntil?.getTime() ?? 0;
  return end > now ? end : null;
}

/** What is left to somebody who is timed out (Discord's documentation, Permissions). */
const LOOKING_ON: bigint = Permission.ViewChannel | Permission.ReadMessageHistory;

/** What someone may do in the guild at large. */
export function guildPermissions(guild: PermissionFacts, holder: PermissionHolder): bigint {
  const bits = basePermissions(guild, holder);
  return holder.isTimedOut && bits !== ALL_PERMISSIONS ? bits & LOOKING_ON : bits;
}

/** What the roles say: everything for the owner and administrators. */
function basePermissions(guild: PermissionFacts, { userId, roleIds }: PermissionHolder): bigint {
  if (userId === guild.ownerId) return ALL_PERMISSIONS;
  let bits = guild.rolePermissions.get(guild.id) ?? 0n;
  for (const roleId of roleIds) bits |= guild.rolePermissions.get(roleId) ?? 0n;
  return withImplied(bits);
}

/** A membership as it is read from the database, with all that decides its permissions. */
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

/** What a member may do in the guild at large. @param now milliseconds since the Unix epoch */
export function memberPermissions({ userId, roles, guild, ...member }: MembershipRow, now: number): bigint {
  const { id, ownerId } = guild;
  const facts = { id, ownerId, rolePermissions: rolePermissions(guild.roles) };
  const roleIds = roles.map(({ roleId }) => roleId);
  return guildPermissions(facts, holderAt(now, userId, { ...member, roleIds }));
}

/** Role id to permission bits. */
export function rolePermissions(roles: RoleRow[]): Map<bigint, bigint> {
  return new Map(roles.map((role) => [role.id, role.permissions]));
}

/** The bits, and all that they bring along: an administrator may do everything. */
export function withImplied(bits: bigint): bigint {
  return (bits & Permission.Administrator) !== 0n ? ALL_PERMISSIONS : bits;
}

/** What of a channel decides what may be done in it. */
interface ChannelPermissionFacts {
  /** The reference platform's channel type. */
  type: number;
  overwrites: readonly Overwrite[];
}

/**
 * What someone may do in a channel: the guild's permissions, then the overwrites for `@everyone`, for the person's roles
 * (allow wins among them) and for the person; less what they cannot make use of there.
 */
export function channelPermissions(
  guild: PermissionFacts,
  { type, overwrites }: ChannelPermissionFacts,
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

/** What is of no use to somebody who cannot send messages (Discord's documentation, Permissions). */
const BY_SENDING: bigint =
  Permission.MentionEveryone | Permission.SendTTSMessages | Permission.AttachFiles | Permission.EmbedLinks;

/** What is of no use in a voice channel to somebody who cannot connect to it (decisions 187). */
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

/** The bits without those that are denied along with others: all of them without ViewChannel. */
function usable(bits: bigint, type: number): bigint {
  if ((bits & Permission.ViewChannel) === 0n) return 0n;
  let rest = bits;
  if ((bits & Permission.SendMessages) === 0n) rest &= ~BY_SENDING;
  if ((bits & Permission.Connect) === 0n && VOICE_CHANNELS.includes(type)) rest &= ~BY_CONNECTING;
  return rest;
}

/** Whether `bits` holds every bit of `needed`. */
export function allows(bits: bigint, needed: bigint): boolean {
  return (bits & needed) === needed;
}

/** Each bit by its name in the reference platform's documentation; of two names for one bit, the later. */
const NAMES = new Map(Object.entries(PermissionFlagsBits).map(([name, bit]) => [bit, name]));

/** The names of the bits in words, such as `Manage Guild`. */
export function permissionNames(bits: bigint): string[] {
  const held = [...NAMES].filter(([bit]) => (bits & bit) !== 0n);
  return held.map(([, name]) => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' '));
}

/** A permission string: decimal, up to 32 digits. */
const PERMISSION_STRING = /^\d{1,32}$/;

export function isPermissionString(text: string): boolean {
  return PERMISSION_STRING.test(text);
}

/** The known bits of a permission string. */
export function parsePermissions(text: string): bigint {
  return BigInt(text) & ALL_PERMISSIONS;
}

/** A permission string in the caller's input. */
export function permissionString() {
  return z.string().regex(PERMISSION_STRING, { error: 'Permissions are a decimal number of up to 32 digits.' });
}

/** The known bits of a permission string or a whole number in the caller's input; none where nothing, or null, is said. */
export function permissionBits() {
  return z
    .union([z.string(), z.number(), z.bigint()])
    .transform(String)
    .pipe(permissionText())
    .nullish()
    .transform((bits) => bits ?? 0n);
}

/** The same as {@link permissionString}, as its known bits. */
export function permissionText() {
  return permissionString().transform(parsePermissions);
}
