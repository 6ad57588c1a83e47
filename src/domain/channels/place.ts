import { ChannelType } from 'discord-api-types/v10';
import { DomainError } from '../errors.js';
import type { MemberFacts } from '../members/record.js';
import { allows, DIRECT_PERMISSIONS, Permission } from '../permissions.js';

/** A channel of a guild, and what somebody is in it. */
export interface GuildPlace {
  kind: 'guild';
  channelId: bigint;
  guildId: bigint;
  /** The reference platform's channel type. */
  type: number;
  /** Seconds between two messages of one person; 0 without slow mode. */
  rateLimitPerUser: number;
  /** Null for who is no member of the guild. */
  member: MemberFacts | null;
  /** What they may do in this channel. */
  permissions: bigint;
}

/** A direct channel. It has no guild, so no members, no roles and no permissions but that of being a recipient. */
export interface DirectPlace {
  kind: 'direct';
  channelId: bigint;
  /** Everybody in it, whoever looks; all of them are told what happens there. */
  recipientIds: readonly bigint[];
}

/** Where messages are: a channel of a guild, or a direct one. */
export type Place = GuildPlace | DirectPlace;

/** The guild's channel types that hold messages. */
const TEXT_CHANNELS: readonly number[] = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildStageVoice,
];

/** Whether somebody sees the channel that is their place. */
export function isSeenBy(userId: bigint, place: Place): boolean {
  if (place.kind === 'direct') return place.recipientIds.includes(userId);
  return place.member !== null && allows(place.permissions, Permission.ViewChannel);
}

/** What whoever the place was asked for may do there, as permission bits. */
export function permissionsIn(place: Place): bigint {
  return place.kind === 'guild' ? place.permissions : DIRECT_PERMISSIONS;
}

/** The membership of whoever the place was asked for. */
export function memberIn(place: Place): MemberFacts | null {
  return place.kind === 'guild' ? place.member : null;
}

/** The guild's id, null for a direct channel. */
export function guildIdOf(place: Place): bigint | null {
  return place.kind === 'guild' ? place.guildId : null;
}

/** Whom an event of a direct channel is for; nothing in a guild, where permissions decide. */
export function recipientsOf(place: Place): { recipientIds?: readonly bigint[] } {
  return place.kind === 'direct' ? { recipientIds: place.recipientIds } : {};
}

/** Everybody in a direct channel but one. */
export function othersIn({ recipientIds }: Pick<DirectPlace, 'recipientIds'>, userId: bigint): bigint[] {
  return recipientIds.filter((id) => id !== userId);
}

/** Where an event happened and whom it is for, as events state it. */
export function eventPlace(place: Place) {
  return { guildId: guildIdOf(place), channelId: place.channelId, ...recipientsOf(place) };
}

/** Whether a guild's channel of this type holds messages. */
export function holdsMessages(type: number): boolean {
  return TEXT_CHANNELS.includes(type);
}

/** @throws WRONG_CHANNEL_TYPE for a channel that holds no messages */
export function requireText(place: Place): void {
  if (place.kind === 'direct' || holdsMessages(place.type)) return;
  throw new DomainError('WRONG_CHANNEL_TYPE');
}
