export { getUser, getUserByName } from './get.js';
export { getOwnUser, listOwnGuilds, type OwnGuild } from './own.js';
export { OwnProfile, updateOwnUser } from './update.js';
