export { findInstallable } from './access.js';
export { forgetBot, INSTALLING_MS, readmitBots, reconcileBots } from './box-changes.js';
export { ServerInstall, UserInstall } from './input.js';
export { installApplication } from './install.js';
export { HONOURED_SCOPES, type Scope, storedScopes } from './scopes.js';
export { uninstallApplication } from './uninstall.js';
