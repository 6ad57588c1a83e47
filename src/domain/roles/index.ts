export { createRole, NewRole } from './create.js';
export { setRolePositions } from './positions.js';
