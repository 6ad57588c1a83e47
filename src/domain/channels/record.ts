import type { Channel, ChannelOverwrite } from '../../infra/database/index.js';

/** A channel with all that its rendering needs. */
export type ChannelRecord = Channel & { overwrites: ChannelOverwrite[] };
