import type { Channel } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';
import type { MemberSelection } from '../members/load.js';
import type { MemberRecord, MemberSummary } from '../members/record.js';
import { channelPermissions, guildPermissions, holderAt, timeoutEnd } from '../permissions.js';
import type { ShownPresence } from '../presences/record.js';
import type { VoiceStateRecord } from '../voice/record.js';
import type { GuildSnapshot } from './snapshot.js';
import type { GuildView } from './views.js';

/**
 * Reads guilds from the local database or from boxes. A missing guild, channel or member gives null, an empty list or
 * 0. Functions that take a guild id throw `GuildUnavailable` if the guild exists but cannot be reached.
 */
export interface GuildStore {
  view(guildId: bigint): Promise<GuildView | null>;

  member(guildId: bigint, userId: bigint): Promise<MemberSummary | null>;

  /** Null for a direct channel, undefined for a missing one. Also finds guilds that cannot be reached. */
  guildOfChannel(channelId: bigint): Promise<bigint | null | undefined>;

  channel(guildId: bigint, channelId: bigint): Promise<Channel | null>;

  /** The guild as in GUILD_CREATE, read after the call started. */
  snapshot(guildId: bigint): Promise<GuildSnapshot | null>;

  /** At most `take` members, ascending by user id. */
  members(guildId: bigint, selection: MemberSelection, take: number): Promise<MemberRecord[]>;

  /**
   * Members online or in voice come first, then those with a role, then those with a nickname. Omits other members.
   * @param take 1,000 at most
   */
  notableMembers(guildId: bigint, take: number): Promise<MemberRecord[]>;

  /**
   * Matches the beginning of username, display name or nickname, and orders by name. Ignores case and has no wildcards.
   * @param take 1,000 at most
   */
  searchMembers(guildId: bigint, prefix: string, take: number): Promise<MemberRecord[]>;

  /** Omits offline users. Does not check membership. */
  presences(guildId: bigint, userIds: readonly bigint[]): Promise<ShownPresence[]>;

  voiceStates(guildId: bigint): Promise<VoiceStateRecord[]>;

  countMembers(guildId: bigint): Promise<number>;

  /** Ascending, including guilds that cannot be reached. */
  pagesOfGuildIds(userId: bigint): AsyncIterable<bigint[]>;
}

const UNAVAILABLE_RETRY_MS = 5_000;

export class GuildUnavailable extends DomainError {
  constructor(
    readonly guildId: bigint,
    cause?: unknown,
    /** True if the box was not connected. Otherwise it may have received the request. */
    readonly isAway = false,
  ) {
    const details = { retryAfterMs: UNAVAILABLE_RETRY_MS, cause, shown: { reason: 'box-unreachable' } };
    super('OVERLOADED', 'This server cannot be reached at the moment. Try again in a few seconds.', details);
  }
}

export interface PermissionsThere {
  bits: bigint;
  /** Milliseconds since the Unix epoch; null if not timed out. */
  timeoutEnd: number | null;
}

/**
 * Guild-wide permissions if `channelId` is null.
 * @param now milliseconds since the Unix epoch
 * @returns null for a missing member or channel
 * @throws GuildUnavailable
 */
export async function permissionsThere(
  store: GuildStore,
  { guildId, channelId }: { guildId: bigint; channelId: bigint | null },
  userId: bigint,
  now: number,
): Promise<PermissionsThere | null> {
  const [view, member] = await Promise.all([store.view(guildId), store.member(guildId, userId)]);
  if (!view || !member) return null;
  const holder = holderAt(now, userId, member);
  const end = timeoutEnd(now, member);
  if (channelId === null) return { bits: guildPermissions(view, holder), timeoutEnd: end };
  const channel = view.channels.get(channelId);
  return channel ? { bits: channelPermissions(view, channel, holder), timeoutEnd: end } : null;
}

/**
 * Without channel overwrites.
 * @param now milliseconds since the Unix epoch
 * @returns null if the user is not a member
 * @throws GuildUnavailable
 */
export async function permissionsInGuild(
  store: GuildStore,
  guildId: bigint,
  userId: bigint,
  now: number,
): Promise<bigint | null> {
  const there = await permissionsThere(store, { guildId, channelId: null }, userId, now);
  return there?.bits ?? null;
}

/**
 * @param now milliseconds since the Unix epoch
 * @returns null for a missing member or channel
 * @throws GuildUnavailable
 */
export async function permissionsInChannel(
  store: GuildStore,
  guildId: bigint,
  channelId: bigint,
  userId: bigint,
  now: number,
): Promise<bigint | null> {
  const there = await permissionsThere(store, { guildId, channelId }, userId, now);
  return there?.bits ?? null;
}
