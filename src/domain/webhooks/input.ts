import { z } from 'zod';
import { nameText, snowflake } from '../input.js';
import { limits } from '../limits.js';

const name = nameText(limits.webhookName.min, limits.webhookName.max);

/** A webhook in a caller's input. */
export const NewWebhook = z.object({ name });

/** What is to be changed of a webhook: what is not given stays. */
export const WebhookChange = z.object({ name: name.nullish(), channelId: snowflake().nullish() });

/** The same for whoever has its token, who cannot move it. */
export const WebhookRename = WebhookChange.pick({ name: true });
