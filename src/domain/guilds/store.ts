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
 * Reads guilds from the local database or from boxes. Functions that take a guild id throw `GuildUnavailable` if the
 * guild exists but cannot be reached. Null always means that it does not exist.
 */
export interface GuildStore {
  /** Null if there is no such guild. */
  view(guildId: bigint): Promise<GuildView | null>;

  /** Null if the user is not a member or there is no such guild. */
  member(guildId: bigint, userId: bigint): Promise<MemberSummary | null>;

  /** Null for a direct channel, undefined if there is no such channel. Also works for guilds that cannot be reached. */
  guildOfChannel(channelId: bigint): Promise<bigint | null | undefined>;

  /** Null if the guild has no such channel. */
  channel(guildId: bigint, channelId: bigint): Promise<Channel | null>;

  /** As in GUILD_CREATE, and read after the call started. Null if there is no such guild. */
  snapshot(guildId: bigint): Promise<GuildSnapshot | null>;

  /** At most `take` members, by ascending id. Empty if there is no such guild. */
  members(guildId: bigint, selection: MemberSelection, take: number): Promise<MemberRecord[]>;

  /**
   * At most `take` (up to 1,000) members: online or in voice, then with a role besides `@everyone`, then with a
   * nickname.
   */
  notableMembers(guildId: bigint, take: number): Promise<MemberRecord[]>;

  /**
   * At most `take` (up to 1,000) members whose username, display name or nickname starts with `prefix`, ordered by
   * name. Ignores case and has no wildcards.
   */
  searchMembers(guildId: bigint, prefix: string, take: number): Promise<MemberRecord[]>;

  /** Omits users who are offline. Does not check membership. */
  presences(guildId: bigint, userIds: readonly bigint[]): Promise<ShownPresence[]>;

  /** Empty if there is no such guild. */
  voiceStates(guildId: bigint): Promise<VoiceStateRecord[]>;

  /** 0 if there is no such guild. */
  countMembers(guildId: bigint): Promise<number>;

  /** Pages of ascending ids, including guilds that cannot be reached. */
  pagesOfGuildIds(userId: bigint): AsyncIterable<bigint[]>;
}

/** In milliseconds. */
const UNAVAILABLE_RETRY_MS = 5_000;

/** Thrown for a guild that exists but cannot be reached. */
export class GuildUnavailable extends DomainError {
  constructor(
    readonly guildId: bigint,
    cause?: unknown,
    /** True if the box was not connected, so the request was not sent. If false, the box may have received it. */
    readonly isAway = false,
  ) {
    const details = { retryAfterMs: UNAVAILABLE_RETRY_MS, cause, shown: { reason: 'box-unreachable' } };
    super('OVERLOADED', 'This server cannot be reached at the moment. Try again in a few seconds.', details);
  }
}

export interface PermissionsThere {
  bits: bigint;
  /** When the user's timeout ends, in milliseconds since the Unix epoch. Null if not timed out. */
  timeoutEnd: number | null;
}

/**
 * Guild-wide permissions if `channelId` is null. Returns null if the user is not a member or there is no such channel.
 * @param now milliseconds since the Unix epoch
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
 * Guild-wide permissions, or null if the user is not a member.
 * @param now milliseconds since the Unix epoch
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
 * Null if the user is not a member or there is no such channel.
 * @param now milliseconds since the Unix epoch
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
