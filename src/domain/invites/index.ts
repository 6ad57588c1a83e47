export { isInviteCode } from './code.js';
export { createInvite, NewInvite } from './create.js';
export { deleteInvite } from './delete.js';
export { maxAgeOf } from './find.js';
export { getInvite, type InviteDetails } from './get.js';
export { listChannelInvites, listGuildInvites, manageableInvites } from './list.js';
export type { InviteRecord } from './record.js';
