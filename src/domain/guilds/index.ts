export { accessChannel, accessGuild, accessGuildChannel, channelsWith } from './access.js';
export { createGuild, NewGuild } from './create.js';
export { DatabaseHome } from './database-home.js';
export { getGuild } from './get.js';
export {
  type GuildHome,
  GuildUnavailable,
  permissionsInChannel,
  permissionsInGuild,
  permissionsThere,
} from './home.js';
export { joinGuild } from './join.js';
export { leaveGuild } from './leave.js';
export { recommendShards } from './shards.js';
export type { GuildSnapshot, MemberSelection } from './snapshot.js';
