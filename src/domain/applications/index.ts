export { accessApplication, applicationRole, ownApplicationIds, visibleApplications } from './access.js';
export { type AuthenticatedBot, BotTokens, botTokenHint, createBotToken } from './bot-tokens.js';
export { createApplication, NewApplication } from './create.js';
export { deleteApplication } from './delete.js';
export { countInstallations, type InstallCounts, NOT_INSTALLED } from './install-counts.js';
export { serverInstallScopes, userInstallScopes } from './install-settings.js';
export { type ApplicationRecord, getOwnApplication, loadApplicationRecord, requireOwnBot } from './own.js';
export {
  flagsOfIntents,
  INTENT_COLUMNS,
  intentBitsWithout,
  intentsOfFlags,
  PRIVILEGED_INTENTS,
  type PrivilegedIntent,
  privilegedIntents,
} from './privileged-intents.js';
export { resetBotToken, resetClientSecret } from './reset.js';
export { SecretUses } from './secret-uses.js';
export { createClientSecret } from './secrets.js';
export { installUrl } from './settings.js';
export { transferApplication } from './transfer.js';
export { ApplicationSettings, type UpdateApplicationInput, updateApplication } from './update.js';
export { ACTIVE, ApplicationViews } from './views.js';
