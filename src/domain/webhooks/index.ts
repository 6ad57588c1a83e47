export { actorOfWebhook } from './access.js';
export { createWebhook } from './create.js';
export { deleteByToken, deleteWebhook } from './delete.js';
export {
  deleteWebhookMessage,
  editWebhookMessage,
  executeWebhook,
  getWebhookMessage,
  noteExecution,
  requireDirectedWebhook,
  requireUsableWebhook,
  storeExecution,
} from './execute.js';
export { getWebhook, getWebhookByToken } from './get.js';
export { NewWebhook, WebhookChange, WebhookRename } from './input.js';
export { listChannelWebhooks, listGuildWebhooks } from './list.js';
export { LIVE, type WebhookRecord } from './record.js';
export { isWebhookToken, tokenHint } from './tokens.js';
export { renameByToken, updateWebhook } from './update.js';
