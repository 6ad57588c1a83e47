export { banMember, banMembers, DeleteMessageSeconds, UsersToBan } from './create.js';
export { unbanMember } from './delete.js';
export { getBan, listBans } from './list.js';
export type { BanRecord } from './record.js';
