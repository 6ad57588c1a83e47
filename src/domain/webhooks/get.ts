import type { Webhook } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { accessWebhook } from './access.js';
import { requireDirectedWebhook } from './execute.js';
import type { WebhookRecord } from './record.js';

/** A webhook that the caller may see, be its channel gone. @throws what `accessWebhook` throws */
export async function getWebhook(call: CallContext, id: bigint): Promise<WebhookRecord> {
  return accessWebhook(call, id, 'view');
}

/** The webhook whose token was shown. @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL when its channel is gone */
export async function getWebhookByToken(call: CallContext): Promise<Webhook> {
  const { webhook } = await requireDirectedWebhook(call);
  return webhook;
}
