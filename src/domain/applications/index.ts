export { accessApplication, applicationRole, visibleApplications } from './access.js';
export { type AuthenticatedBot, BotTokens, type PrivilegedIntents, privilegedIntentsOf } from './bot-tokens.js';
export { createApplication } from './create.js';
export { deleteApplication } from './delete.js';
export { type ApplicationRecord, getOwnApplication, loadApplicationRecord } from './own.js';
export { resetBotToken, resetClientSecret } from './reset.js';
export { installUrl, PRIVILEGED_INTENTS, type PrivilegedIntent, privilegedIntents } from './settings.js';
export { transferApplication } from './transfer.js';
export { type UpdateApplicationInput, updateApplication } from './update.js';
