import { MessageFlags, MessageType } from 'discord-api-types/v10';
import type { Transaction } from '../../infra/database/index.js';
import { type CallContext, requireWebhook } from '../call.js';
import { guildIdOf, type Place } from '../channels/place.js';
import { placeOf } from '../channels/place-of.js';
import { DomainError } from '../errors.js';
import { applyEdit } from '../messages/apply-edit.js';
import type { MessageEdit, NewMessage } from '../messages/body.js';
import { removeMessage } from '../messages/delete.js';
import type { UploadedFile } from '../messages/files.js';
import { loadMessage } from '../messages/load.js';
import { postMessage } from '../messages/post.js';
import type { MessageRecord } from '../messages/record.js';
import { LIVE } from './record.js';

/** Flags that a webhook's message may be given (Discord's documentation, Webhook Resource). */
const SENDABLE_FLAGS = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications | MessageFlags.IsComponentsV2;

/**
 * The webhook whose token was shown, as it is now: the body of a request may come long after its token. The rows of a box's cloud are there.
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

/**
 * The webhook whose token was shown, as it is now, with a channel that is there, in reach or not.
 * @throws UNKNOWN_WEBHOOK when it was deleted meanwhile, UNKNOWN_CHANNEL when its channel is gone
 */
export async function requireDirectedWebhook(call: CallContext) {
  const live = await requireLiveWebhook(call);
  const guildId = await call.guilds.guildOfChannel(live.webhook.channelId);
  if (guildId !== live.webhook.guildId) throw new DomainError('UNKNOWN_CHANNEL');
  return live;
}

/**
 * The same, with its channel as the place of its application's bot: whom it may mention follows from what the bot may do there, or where it is
 * no member from what everybody may.
 * @throws UNKNOWN_WEBHOOK when it was deleted meanwhile, UNKNOWN_CHANNEL when its channel is gone, GuildUnavailable
 */
export async function requireUsableWebhook(call: CallContext) {
  const { webhook, application } = await requireLiveWebhook(call);
  const place = await placeOf(call, webhook.channelId, application.id);
  if (!place || guildIdOf(place) !== webhook.guildId) throw new DomainError('UNKNOWN_CHANNEL');
  return { webhook, application, place };
}

type WebhookActor = ReturnType<typeof requireWebhook>;

/**
 * Posts a message as the application's bot. Whoever has the token may, whatever the bot may do in the channel.
 * @throws what {@link requireUsableWebhook} and `postMessage` throw
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

/** Notes that the webhook whose token was shown is executed; the row of a box's cloud is there. */
export function noteExecution({ actor, executions }: CallContext): void {
  if (actor.kind === 'webhook' && !actor.isOfCloud) executions.note(actor.webhook.id);
}

/** Stores when a webhook was executed, unless it was since. */
export async function storeExecution(db: Transaction, id: bigint, executedAt: Date): Promise<void> {
  const isEarlier = { OR: [{ lastExecutedAt: null }, { lastExecutedAt: { lt: executedAt } }] };
  await db.webhook.updateMany({ where: { id, ...isEarlier }, data: { lastExecutedAt: executedAt } });
}

/** A message that the webhook sent to the channel it is directed to. @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE */
export async function getWebhookMessage(call: CallContext, id: bigint): Promise<MessageRecord> {
  const { message } = await findOwn(call, id);
  return message;
}

/** Edits a message of the webhook's. @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE and what `applyEdit` throws */
export async function editWebhookMessage(
  call: CallContext,
  { id, edit, files }: { id: bigint; edit: MessageEdit; files: readonly UploadedFile[] },
): Promise<MessageRecord> {
  const { message, place } = await findOwn(call, id);
  return applyEdit(call, message, { place, body: edit, files, asAuthor: true });
}

/** Removes a message of the webhook's for good. @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE */
export async function deleteWebhookMessage(call: CallContext, id: bigint): Promise<void> {
  const { message, place } = await findOwn(call, id);
  await removeMessage(call, place, message);
}

async function findOwn(call: CallContext, id: bigint): Promise<{ message: MessageRecord; place: Place }> {
  const { webhook, place } = await requireUsableWebhook(call);
  const message = await loadMessage(call, place, id);
  if (message.webhookId !== webhook.id) throw new DomainError('UNKNOWN_MESSAGE');
  return { message, place };
}
