import type { z } from 'zod';
import type { Webhook } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { guildIdOf, isSeenBy, type Place, requireText } from '../channels/place.js';
import { placeOf } from '../channels/place-of.js';
import { DomainError, invalidInput } from '../errors.js';
import { accessSeenChannel, accessWebhook } from './access.js';
import { requireDirectedWebhook } from './execute.js';
import type { WebhookChange } from './input.js';
import { LIVE, type WebhookRecord, WITH_CREATOR } from './record.js';
import { requireTarget } from './target.js';
import { hasLogHere, noteDeed, webhooksUpdate } from './write.js';

/** What is to be changed: what is not given stays. */
export type WebhookChanges = z.output<typeof WebhookChange>;

/**
 * Renames a webhook, or moves it to another channel of its server.
 * @throws INVALID_INPUT (at `channelId`) for a channel of another server, WRONG_CHANNEL_TYPE, UNKNOWN_WEBHOOK when it is deleted meanwhile, and
 *   what `accessWebhook` and `accessSeenChannel` throw
 */
export async function updateWebhook(call: CallContext, id: bigint, changes: WebhookChanges): Promise<WebhookRecord> {
  const webhook = await accessWebhook(call, id, 'update');
  const { channelId } = changes;
  if (channelId != null) await requireReachable(call, webhook, channelId);
  return change(call, webhook, changes);
}

/** Renames the webhook whose token was shown. @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL when its channel is gone */
export async function renameByToken(call: CallContext, { name }: Pick<WebhookChanges, 'name'>): Promise<WebhookRecord> {
  const { webhook } = await requireDirectedWebhook(call);
  return change(call, webhook, { name });
}

/** A webhook moves to channels with messages in its server that its application's bot or the caller sees. */
async function requireReachable(call: CallContext, webhook: Webhook, channelId: bigint): Promise<void> {
  const place = (await placeOfBot(call, webhook, channelId)) ?? (await accessSeenChannel(call, channelId));
  requireText(place);
  if (guildIdOf(place) === webhook.guildId) return;
  const message = 'A webhook stays in its server: delete it, and make another one in the other server.';
  throw invalidInput({ path: 'channelId', code: 'WEBHOOK_CHANNEL_OF_OTHER_GUILD', message });
}

/** The channel as the place of the application's bot, as whom developers may act; null unless it is in the webhook's server and the bot sees it. */
async function placeOfBot(
  call: CallContext,
  { applicationId, guildId }: Webhook,
  channelId: bigint,
): Promise<Place | null> {
  if (call.actor.kind === 'bot' || (await call.guilds.guildOfChannel(channelId)) !== guildId) return null;
  const place = await placeOf(call, channelId, applicationId);
  return place && isSeenBy(applicationId, place) ? place : null;
}

async function change(call: CallContext, webhook: Webhook, changes: WebhookChanges): Promise<WebhookRecord> {
  const { id, guildId } = webhook;
  const isLogged = await hasLogHere(call, webhook);
  const isOnBox = (await call.boxRoutes.ofGuild(guildId)) !== null;
  const update = async (write: Write) => {
    const { db, record } = write;
    const before = await db.webhook.findUnique({ where: { id, ...LIVE }, include: WITH_CREATOR });
    if (!before) throw new DomainError('UNKNOWN_WEBHOOK');
    const name = changes.name ?? before.name;
    const channelId = changes.channelId ?? before.channelId;
    const isMoved = channelId !== before.channelId;
    if (name === before.name && !isMoved) return before;
    if (isMoved) await requireTarget(db, { guildId, channelId, isOnBox });
    const after = await db.webhook.update({ where: { id }, data: { name, channelId } });
    const said = {
      ...(name === before.name ? {} : { name: { old: before.name, new: name } }),
      ...(isMoved ? { channelId: { old: String(before.channelId), new: String(channelId) } } : {}),
    };
    if (isMoved) record(webhooksUpdate(before));
    await noteDeed(write, after, { action: 'UPDATE', changes: said }, isLogged);
    return { ...before, ...after };
  };
  return call.write(update, { serializable: true });
}
