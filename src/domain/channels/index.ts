export { createChannel, NewChannel } from './create.js';
export { getChannel } from './get.js';
export type { ChannelRecord } from './record.js';
