export { createInvite, NewInvite } from './create.js';
export { deleteInvite } from './delete.js';
export { findInvite, maxAgeOf } from './find.js';
export { manageableInvites } from './list.js';
