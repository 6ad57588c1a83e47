export { createRole } from './create.js';
export { setRolePositions } from './positions.js';
