export { createRole, RoleFields } from './create.js';
export { deleteRole } from './delete.js';
export { countRoleMembers, getRole, listRoles } from './list.js';
export { setRolePositions } from './positions.js';
export { updateRole } from './update.js';
