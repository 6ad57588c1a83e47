export { accessChannel, accessGuild, accessGuildChannel, channelsWith, ownGuildIds } from './access.js';
export { createGuild, NewGuild } from './create.js';
export { DatabaseGuildStore } from './database-store.js';
export { deleteGuild } from './delete.js';
export { getGuild } from './get.js';
export { joinGuild } from './join.js';
export { leaveGuild } from './leave.js';
export { pagesOfBoxGuildIds } from './memberships.js';
export { MEMBER_OPERATIONS, mayAsMember } from './ownership.js';
export { type GuildPreview, getGuildPreview, type Integration, listIntegrations } from './preview.js';
export { type GuildRecord, WITH_ROLES_AND_EMOJIS } from './record.js';
export { RoutingGuildStore } from './routing-store.js';
export { GuildSettings } from './settings.js';
export { countGuilds, recommendShards } from './shards.js';
export type { GuildSnapshot } from './snapshot.js';
export {
  type GuildStore,
  GuildUnavailable,
  permissionsInChannel,
  permissionsInGuild,
  permissionsThere,
} from './store.js';
export { updateGuild } from './update.js';
export type { GuildView } from './views.js';
