export { createChannel, NewChannel } from './create.js';
export { openDirectChannel } from './direct.js';
export { type ChannelDetails, closeDirectChannel, getChannel } from './get.js';
export { Recipients } from './recipients.js';
export type { ChannelRecord } from './record.js';
