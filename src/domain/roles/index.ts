export { createRole, insertRole } from './create.js';
export { setRolePositions } from './positions.js';
export { highestPosition } from './rank.js';
