export { findInstallable } from './access.js';
export { installApplication, planInstall, writeInstall } from './install.js';
export { HONOURED_SCOPES, type Scope, storedScopes } from './scopes.js';
export { uninstallApplication } from './uninstall.js';
