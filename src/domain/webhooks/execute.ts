import { MessageFlags, MessageType } from 'discord-api-types/v10';
import type { Transaction } from '../../infra/database/index.js';
import { type CallContext, requireWebhook } from '../call.js';
import { type ChannelAccess, guildIdOf } from '../channels/access.js';
import { loadChannelAccess } from '../channels/load-access.js';
import { DomainError } from '../errors.js';
import { applyEdit } from '../messages/apply-edit.js';
import type { MessageEdit, NewMessage } from '../messages/content/body.js';
import { removeMessage } from '../messages/delete.js';
import type { UploadedFile } from '../messages/files/files.js';
import { loadMessage } from '../messages/load.js';
import { postMessage } from '../messages/post.js';
import type { MessageRecord } from '../messages/record.js';
import { LIVE } from './record.js';

/** Flags of webhook messages (Discord's documentation, Webhook Resource). */
const SENDABLE_FLAGS = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications | MessageFlags.IsComponentsV2;

/**
 * Reads the webhook again, because the body may arrive long after the token. A box has no rows of cloud webhooks.
 * @throws UNKNOWN_WEBHOOK
 */
async function requireLiveWebhook(call: CallContext): Promise<Pick<WebhookActor, 'webhook' | 'application'>> {
  const shown = requireWebhook(call);
  if (shown.isOfCloud) return shown;
  const [webhook, application] = await Promise.all([
    call.read.webhook.findUnique({ where: { id: shown.webhook.id, ...LIVE } }),
    call.applications.application(shown.application.id),
  ]);
  if (!webhook || !application) throw new DomainError('UNKNOWN_WEBHOOK');
  return { webhook, application };
}

/** The channel must exist, but its box may be disconnected. @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL */
export async function requireDirectedWebhook(call: CallContext) {
  const live = await requireLiveWebhook(call);
  const guildId = await call.guilds.guildOfChannel(live.webhook.channelId);
  if (guildId !== live.webhook.guildId) throw new DomainError('UNKNOWN_CHANNEL');
  return live;
}

/**
 * `place` has the permissions of the bot, or of `@everyone` if the bot is not a member. They limit mentions.
 * @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL, GuildUnavailable
 */
export async function requireUsableWebhook(call: CallContext) {
  const { webhook, application } = await requireLiveWebhook(call);
  const place = await loadChannelAccess(call, webhook.channelId, application.id);
  if (!place || guildIdOf(place) !== webhook.guildId) throw new DomainError('UNKNOWN_CHANNEL');
  return { webhook, application, place };
}

type WebhookActor = ReturnType<typeof requireWebhook>;

/**
 * Needs only the token, regardless of the bot's permissions.
 * @throws the errors of {@link requireUsableWebhook} and `postMessage`
 */
export async function executeWebhook(
  call: CallContext,
  { message, files }: { message: NewMessage; files: readonly UploadedFile[] },
): Promise<MessageRecord> {
  const { webhook, application, place } = await requireUsableWebhook(call);
  const { nonce: _nonce, enforceNonce: _enforceNonce, ...body } = message;
  const sent = await postMessage(call, {
    author: application.bot,
    place,
    body: { ...body, flags: (message.flags ?? 0) & SENDABLE_FLAGS },
    files,
    kind: MessageType.Default,
    applicationId: application.id,
    webhookId: webhook.id,
  });
  noteExecution(call);
  return sent;
}

/** A box has no rows of cloud webhooks. */
export function noteExecution({ actor, executions }: CallContext): void {
  if (actor.kind === 'webhook' && !actor.isOfCloud) executions.note(actor.webhook.id);
}

/** Keeps a later stored time. */
export async function storeExecution(db: Transaction, id: bigint, executedAt: Date): Promise<void> {
  const isEarlier = { OR: [{ lastExecutedAt: null }, { lastExecutedAt: { lt: executedAt } }] };
  await db.webhook.updateMany({ where: { id, ...isEarlier }, data: { lastExecutedAt: executedAt } });
}

/** @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE */
export async function getWebhookMessage(call: CallContext, id: bigint): Promise<MessageRecord> {
  const { message } = await findOwn(call, id);
  return message;
}

/** @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE and the errors of `applyEdit` */
export async function editWebhookMessage(
  call: CallContext,
  { id, edit, files }: { id: bigint; edit: MessageEdit; files: readonly UploadedFile[] },
): Promise<MessageRecord> {
  const { message, place } = await findOwn(call, id);
  return applyEdit(call, message, { place, body: edit, files, asAuthor: true });
}

/** @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE */
export async function deleteWebhookMessage(call: CallContext, id: bigint): Promise<void> {
  const { message, place } = await findOwn(call, id);
  await removeMessage(call, place, message);
}

async function findOwn(call: CallContext, id: bigint): Promise<{ message: MessageRecord; place: ChannelAccess }> {
  const { webhook, place } = await requireUsableWebhook(call);
  const message = await loadMessage(call, place, id);
  if (message.webhookId !== webhook.id) throw new DomainError('UNKNOWN_MESSAGE');
  return { message, place };
}
