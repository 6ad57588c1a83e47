import { z } from 'zod';
import { nameText, snowflake } from '../input.js';
import { limits } from '../limits.js';

const name = nameText(limits.webhookName.min, limits.webhookName.max);

export const NewWebhook = z.object({ name });

/** Undefined and null leave a value. */
export const WebhookChange = z.object({ name: name.nullish(), channelId: snowflake().nullish() });

/** The token alone cannot move the webhook. */
export const WebhookRename = WebhookChange.pick({ name: true });
