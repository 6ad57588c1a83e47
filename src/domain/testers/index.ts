export { acceptTesterInvitation, declineTesterInvitation } from './answer.js';
export { inviteTester } from './invite.js';
export { listTesters } from './list.js';
export { removeTester } from './remove.js';
