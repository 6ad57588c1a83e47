export { accessChannel, accessGuild, channelsWith } from './access.js';
export { createGuild } from './create.js';
export { joinGuild } from './join.js';
export { leaveGuild } from './leave.js';
export { recommendShards } from './shards.js';
