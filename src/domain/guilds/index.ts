export { accessChannel, accessGuild, accessGuildChannel, channelsWith } from './access.js';
export { createGuild } from './create.js';
export { getGuild } from './get.js';
export { joinGuild } from './join.js';
export { leaveGuild } from './leave.js';
export { pagesOfGuildIds } from './memberships.js';
export { countMembers, type GuildSnapshot, loadGuildSnapshot, loadMembers, type MemberSelection } from './snapshot.js';
export { GuildViews } from './views.js';
