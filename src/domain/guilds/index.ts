export { accessChannel, accessGuild, accessGuildChannel, channelsWith, ownGuildIds } from './access.js';
export { createGuild, NewGuild } from './create.js';
export { DatabaseHome } from './database-home.js';
export { deleteGuild } from './delete.js';
export { getGuild } from './get.js';
export {
  type GuildHome,
  GuildUnavailable,
  permissionsInChannel,
  permissionsInGuild,
  permissionsThere,
} from './home.js';
export { GuildHomes } from './homes.js';
export { joinGuild } from './join.js';
export { leaveGuild } from './leave.js';
export { pagesOfBoxGuildIds } from './memberships.js';
export { MEMBER_OPERATIONS, mayAsMember } from './ownership.js';
export { type GuildPreview, getGuildPreview, type Integration, listIntegrations } from './preview.js';
export { type GuildRecord, WITH_ROLES_AND_EMOJIS } from './record.js';
export { GuildSettings } from './settings.js';
export { recommendShards } from './shards.js';
export type { GuildSnapshot } from './snapshot.js';
export { updateGuild } from './update.js';
export type { GuildView } from './views.js';
