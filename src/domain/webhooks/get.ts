import type { Webhook } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { accessWebhook } from './access.js';
import { requireDirectedWebhook } from './execute.js';
import type { WebhookRecord } from './record.js';

/** The webhook's channel may be gone. @throws the errors of `accessWebhook` */
export async function getWebhook(call: CallContext, id: bigint): Promise<WebhookRecord> {
  return accessWebhook(call, id, 'view');
}

/** @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL */
export async function getWebhookByToken(call: CallContext): Promise<Webhook> {
  const { webhook } = await requireDirectedWebhook(call);
  return webhook;
}
