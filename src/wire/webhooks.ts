import { type APIWebhook, WebhookType } from 'discord-api-types/v10';
import type { WebhookRecord } from '../domain/webhooks/index.js';
import type { Webhook } from '../infra/database/index.js';
import { renderUser } from './users.js';

/** The form for the holder of its token (Discord's documentation, Webhook Resource). */
export function renderOwnWebhook({ id, applicationId, guildId, channelId, name }: Webhook): APIWebhook {
  return {
    id: String(id),
    type: WebhookType.Incoming,
    application_id: String(applicationId),
    guild_id: String(guildId),
    channel_id: String(channelId),
    name,
    avatar: null,
  };
}

export function renderWebhook(webhook: WebhookRecord): APIWebhook {
  return { ...renderOwnWebhook(webhook), user: renderUser(webhook.creator) };
}

/**
 * Only this form contains the token.
 * @param publicUrl the origin, without a trailing slash
 */
export function renderNewWebhook(webhook: WebhookRecord, token: string, publicUrl: string): APIWebhook {
  return { ...renderWebhook(webhook), token, url: webhookUrl(webhook, token, publicUrl) };
}

export function webhookUrl({ id }: Pick<Webhook, 'id'>, token: string, publicUrl: string): string {
  return `${publicUrl}/api/webhooks/${id}/${token}`;
}
