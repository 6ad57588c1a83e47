export { getOwnUser, listOwnGuilds, type OwnGuild } from './own.js';
