import type { Channel, ChannelOverwrite } from '../../infra/database/index.js';

/** What a channel is read with to be a `ChannelRecord`. */
export const WITH_OVERWRITES = { overwrites: { orderBy: { targetId: 'asc' } } } as const;

/** A channel with all that its rendering needs. */
export type ChannelRecord = Channel & { overwrites: ChannelOverwrite[] };

/** A guild's. */
export type GuildChannelRecord = ChannelRecord & { guildId: bigint };

export interface GuildChannelDetails {
  channel: GuildChannelRecord;
  /** The newest message that everybody sees. */
  lastMessageId: bigint | null;
}
