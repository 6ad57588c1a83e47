export { addMember, nickname } from './add.js';
export { setMemberRoles } from './roles.js';
