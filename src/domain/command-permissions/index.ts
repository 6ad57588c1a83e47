export type { Runnability, RunRule } from './decide.js';
export { applicationOwners, type IntegrationOwners } from './installs.js';
export { listCommandPermissions } from './list.js';
export { runnableCommandIds } from './picker.js';
export type { CommandPermissions, PermissionEntry } from './record.js';
export { findRunnableCommand, type RunnableCommand, whyRunnable } from './runnable.js';
export { setCommandPermissions } from './set.js';
