import { ChannelType } from 'discord-api-types/v10';
import { topics } from '../../infra/streams/topics.js';
import { DomainError } from '../errors.js';
import type { MemberSummary } from '../members/record.js';
import { allows, DIRECT_PERMISSIONS, Permission } from '../permissions.js';

/** A guild channel, with one user's membership and permissions. */
export interface GuildChannelAccess {
  kind: 'guild';
  channelId: bigint;
  guildId: bigint;
  /** Discord's `ChannelType`. */
  type: number;
  /** Seconds; 0 without slow mode. */
  rateLimitPerUser: number;
  /** Null if the user is not a member. */
  member: MemberSummary | null;
  permissions: bigint;
  /** The guild's clock when `member` was read; 0 if unknown. */
  asOf: number;
}

export interface DirectChannelAccess {
  kind: 'direct';
  channelId: bigint;
  /** Both users. */
  recipientIds: readonly bigint[];
}

export type ChannelAccess = GuildChannelAccess | DirectChannelAccess;

const TEXT_CHANNELS: readonly number[] = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildStageVoice,
];

/** @param userId the user that `place` was loaded for */
export function isVisibleTo(userId: bigint, place: ChannelAccess): boolean {
  if (place.kind === 'direct') return place.recipientIds.includes(userId);
  return place.member !== null && allows(place.permissions, Permission.ViewChannel);
}

/** Permission bits of the user that `place` was loaded for. */
export function permissionsIn(place: ChannelAccess): bigint {
  return place.kind === 'guild' ? place.permissions : DIRECT_PERMISSIONS;
}

export function memberIn(place: ChannelAccess): MemberSummary | null {
  return place.kind === 'guild' ? place.member : null;
}

/** For an event with data that was read after `place`. */
export function asOf(place: ChannelAccess): { asOf: number } {
  return { asOf: place.kind === 'guild' ? place.asOf : 0 };
}

export function guildIdOf(place: ChannelAccess): bigint | null {
  return place.kind === 'guild' ? place.guildId : null;
}

/** In a guild channel, permissions decide who receives events. */
export function recipientsOf(place: ChannelAccess): { recipientIds?: readonly bigint[] } {
  return place.kind === 'direct' ? { recipientIds: place.recipientIds } : {};
}

export function othersIn({ recipientIds }: Pick<DirectChannelAccess, 'recipientIds'>, userId: bigint): bigint[] {
  return recipientIds.filter((id) => id !== userId);
}

export function eventChannel(place: ChannelAccess) {
  return { guildId: guildIdOf(place), channelId: place.channelId, ...recipientsOf(place) };
}

/** The streams of an event in a channel. */
export function streamsOf({
  guildId,
  recipientIds = [],
}: {
  guildId: bigint | null;
  recipientIds?: readonly bigint[];
}): string[] {
  return guildId === null ? recipientIds.map(topics.user) : [topics.guild(guildId)];
}

export function holdsMessages(type: number): boolean {
  return TEXT_CHANNELS.includes(type);
}

/** @throws WRONG_CHANNEL_TYPE */
export function requireText(place: ChannelAccess): void {
  if (place.kind === 'direct' || holdsMessages(place.type)) return;
  throw new DomainError('WRONG_CHANNEL_TYPE');
}
