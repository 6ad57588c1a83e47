import type { Channel, ChannelOverwrite } from '../../infra/database/index.js';

export const WITH_OVERWRITES = { overwrites: { orderBy: { targetId: 'asc' } } } as const;

export type ChannelRecord = Channel & { overwrites: ChannelOverwrite[] };

export type GuildChannelRecord = ChannelRecord & { guildId: bigint };

export interface GuildChannelDetails {
  channel: GuildChannelRecord;
  /** Ignores ephemeral messages. */
  lastMessageId: bigint | null;
}
