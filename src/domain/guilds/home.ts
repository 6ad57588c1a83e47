import type { Channel } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';
import type { MemberSelection } from '../members/load.js';
import type { MemberFacts, MemberRecord } from '../members/record.js';
import { channelPermissions, guildPermissions, holderAt, timeoutEnd } from '../permissions.js';
import type { ShownPresence } from '../presences/record.js';
import type { VoiceStateRecord } from '../voice/record.js';
import type { GuildSnapshot } from './snapshot.js';
import type { GuildView } from './views.js';

/**
 * Where guilds live, as far as access and the gateway ask. Whoever asks has an id and does not know how far away the answer is.
 *
 * A guild that the home knows of and cannot reach at the moment is `GuildUnavailable`, which every function that takes a guild's id
 * may throw; `null` always means that there is none.
 */
export interface GuildHome {
  /** What decides access in a guild; null when there is no such guild. */
  view(guildId: bigint): Promise<GuildView | null>;

  /** The membership of a user; null for somebody who is no member, and when there is no such guild. */
  member(guildId: bigint, userId: bigint): Promise<MemberFacts | null>;

  /**
   * The guild a channel belongs to: null for the channel of a direct message, undefined when there is no such channel. Known of
   * a guild out of reach, too.
   */
  guildOfChannel(channelId: bigint): Promise<bigint | null | undefined>;

  /** One of a guild's channels as a whole; null where it has no such channel. */
  channel(guildId: bigint, channelId: bigint): Promise<Channel | null>;

  /** A guild as GUILD_CREATE shows it, no older than the call; null when there is no such guild. */
  snapshot(guildId: bigint): Promise<GuildSnapshot | null>;

  /** At most `take` members in ascending order of their ids; none when there is no such guild. */
  members(guildId: bigint, selection: MemberSelection, take: number): Promise<MemberRecord[]>;

  /**
   * At most `take` members, 1,000 at the most, of those who are online or in voice, have a role beyond `@everyone` or have a nickname, in this
   * order.
   */
  notableMembers(guildId: bigint, take: number): Promise<MemberRecord[]>;

  /**
   * At most `take` members, 1,000 at the most, whose username, shown name or nickname begins with `prefix`, whatever the case, in the order
   * of those names. The prefix is text and nothing else: no sign in it stands for others.
   */
  searchMembers(guildId: bigint, prefix: string, take: number): Promise<MemberRecord[]>;

  /** How those of these members of a guild are seen who are not offline; it is not asked whether they are members. */
  presences(guildId: bigint, userIds: readonly bigint[]): Promise<ShownPresence[]>;

  /** Everybody who is in a guild's voice; nobody when there is no such guild. */
  voiceStates(guildId: bigint): Promise<VoiceStateRecord[]>;

  /** How many members a guild has; 0 when there is no such guild. */
  countMembers(guildId: bigint): Promise<number>;

  /** The ids of the guilds that a user is a member of, in ascending order, a page at a time; those out of reach among them. */
  pagesOfGuildIds(userId: bigint): AsyncIterable<bigint[]>;
}

/** When to ask again for a guild that is out of reach, in milliseconds. */
const UNAVAILABLE_RETRY_MS = 5_000;

/** The refusal of whatever concerns a guild that is known and cannot be reached at the moment. */
export class GuildUnavailable extends DomainError {
  constructor(
    readonly guildId: bigint,
    cause?: unknown,
    /** Whether it was not asked, since its box is not connected; else it may have been, and gave no answer that can be used. */
    readonly isAway = false,
  ) {
    const details = { retryAfterMs: UNAVAILABLE_RETRY_MS, cause, shown: { reason: 'box-unreachable' } };
    super('OVERLOADED', 'This server cannot be reached at the moment; try again in a few seconds.', details);
  }
}

/** What somebody may do, and how long that is known. */
export interface PermissionsThere {
  bits: bigint;
  /** When a timeout ends that takes something away, in milliseconds since the Unix epoch; null for none. */
  timeoutEnd: number | null;
}

/**
 * What a user may do in one of the guild's channels, or in the guild at large where none is named; null for somebody who is no member,
 * and when there is no such channel.
 * @param now milliseconds since the Unix epoch
 * @throws GuildUnavailable
 */
export async function permissionsThere(
  home: GuildHome,
  { guildId, channelId }: { guildId: bigint; channelId: bigint | null },
  userId: bigint,
  now: number,
): Promise<PermissionsThere | null> {
  const [view, member] = await Promise.all([home.view(guildId), home.member(guildId, userId)]);
  if (!view || !member) return null;
  const holder = holderAt(now, userId, member);
  const end = timeoutEnd(now, member);
  if (channelId === null) return { bits: guildPermissions(view, holder), timeoutEnd: end };
  const channel = view.channels.get(channelId);
  return channel ? { bits: channelPermissions(view, channel, holder), timeoutEnd: end } : null;
}

/**
 * What a user may do in the guild at large; null for somebody who is no member.
 * @param now milliseconds since the Unix epoch
 * @throws GuildUnavailable
 */
export async function permissionsInGuild(
  home: GuildHome,
  guildId: bigint,
  userId: bigint,
  now: number,
): Promise<bigint | null> {
  const there = await permissionsThere(home, { guildId, channelId: null }, userId, now);
  return there?.bits ?? null;
}

/**
 * What a user may do in one of the guild's channels; null for somebody who is no member, and when there is no such channel.
 * @param now milliseconds since the Unix epoch
 * @throws GuildUnavailable
 */
export async function permissionsInChannel(
  home: GuildHome,
  guildId: bigint,
  channelId: bigint,
  userId: bigint,
  now: number,
): Promise<bigint | null> {
  const there = await permissionsThere(home, { guildId, channelId }, userId, now);
  return there?.bits ?? null;
}
