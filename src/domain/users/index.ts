export { getUser, getUserByName } from './get.js';
export { getOwnUser, listOwnGuilds, type OwnGuild } from './own.js';
export { shownByIds } from './shown-by-id.js';
export { OwnProfile, updateOwnUser } from './update.js';
