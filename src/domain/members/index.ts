export { addMember, nickname } from './add.js';
export type { MemberFacts, MemberRecord } from './record.js';
export { setMemberRoles } from './roles.js';
