export type { Runnability } from './decide.js';
export { type CommandAccess, listCommandAccess, listCommandPermissions } from './list.js';
export { runnableCommandIds } from './picker.js';
export type { CommandPermissions, PermissionEntry } from './record.js';
export { findRunnableCommand, whyRunnable } from './runnable.js';
export { setCommandPermission, setCommandPermissions } from './set.js';
