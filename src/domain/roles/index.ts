export { createRole, RoleFields } from './create.js';
export { deleteRole } from './delete.js';
export { countRoleMembers, getRole, listRoles } from './list.js';
export { operationsOnRole, ROLE_OPERATIONS } from './operations.js';
export { setRolePositions } from './positions.js';
export { highestOf, highestPositions } from './rank.js';
export { updateRole } from './update.js';
