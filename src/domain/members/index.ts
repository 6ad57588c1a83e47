export { addMember } from './add.js';
export { getMember, getOwnMember } from './get.js';
export { findMembers, listMembers } from './list.js';
export { nickname } from './nickname.js';
export { countInactive, PruneDays, PruneRoles, pruneMembers } from './prune.js';
export type { MemberFacts, MemberRecord } from './record.js';
export { kickMember } from './remove.js';
export { addMemberRole, removeMemberRole } from './roles.js';
export { MemberChange, setMemberRoles, updateMember, updateOwnMember } from './update.js';
