import type { z } from 'zod';
import type { Webhook } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { type ChannelAccess, guildIdOf, isVisibleTo, requireText } from '../channels/access.js';
import { loadChannelAccess } from '../channels/load-access.js';
import { DomainError, invalidInput } from '../errors.js';
import { accessSeenChannel, accessWebhook } from './access.js';
import { requireDirectedWebhook } from './execute.js';
import type { WebhookChange } from './input.js';
import { LIVE, type WebhookRecord, WITH_CREATOR } from './record.js';
import { requireTarget } from './target.js';
import { hasLogHere, noteDeed, webhooksUpdate } from './write.js';

export type WebhookChanges = z.output<typeof WebhookChange>;

/**
 * A webhook moves only within its guild.
 * @throws INVALID_INPUT (at `channelId`) for a channel of another guild, WRONG_CHANNEL_TYPE, UNKNOWN_WEBHOOK and the
 * errors of `accessWebhook` and `accessSeenChannel`
 */
export async function updateWebhook(call: CallContext, id: bigint, changes: WebhookChanges): Promise<WebhookRecord> {
  const webhook = await accessWebhook(call, id, 'update');
  const { channelId } = changes;
  if (channelId != null) await requireReachable(call, webhook, channelId);
  return change(call, webhook, changes);
}

/** @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL */
export async function renameByToken(call: CallContext, { name }: Pick<WebhookChanges, 'name'>): Promise<WebhookRecord> {
  const { webhook } = await requireDirectedWebhook(call);
  return change(call, webhook, { name });
}

/** The target must be a text channel of the guild, visible to the bot or the caller. */
export async function requireReachable(call: CallContext, webhook: Webhook, channelId: bigint): Promise<void> {
  const place = (await placeOfBot(call, webhook, channelId)) ?? (await accessSeenChannel(call, channelId));
  requireText(place);
  if (guildIdOf(place) === webhook.guildId) return;
  const message = 'A webhook cannot be moved to another server. Delete it and create a new one there.';
  throw invalidInput({ path: 'channelId', code: 'WEBHOOK_CHANNEL_OF_OTHER_GUILD', message });
}

/**
 * Developers may act for the application's bot.
 * @returns null if the bot does not see the channel, or it is in another guild
 */
async function placeOfBot(
  call: CallContext,
  { applicationId, guildId }: Webhook,
  channelId: bigint,
): Promise<ChannelAccess | null> {
  if (call.actor.kind === 'bot' || (await call.guilds.guildOfChannel(channelId)) !== guildId) return null;
  const place = await loadChannelAccess(call, channelId, applicationId);
  return place && isVisibleTo(applicationId, place) ? place : null;
}

async function change(call: CallContext, webhook: Webhook, changes: WebhookChanges): Promise<WebhookRecord> {
  const place = await placeOfWebhook(call, webhook);
  return call.write((write) => changeWebhook(write, place, changes), {
    streams: [topics.application(webhook.applicationId), topics.guild(webhook.guildId)],
  });
}

export interface WebhookPlace extends Pick<Webhook, 'id' | 'guildId'> {
  isOnBox: boolean;
  /** Whether the guild has a log here. */
  isLogged: boolean;
}

export async function placeOfWebhook(call: CallContext, webhook: Webhook): Promise<WebhookPlace> {
  const { id, guildId } = webhook;
  const isOnBox = (await call.boxRoutes.ofGuild(guildId)) !== null;
  return { id, guildId, isOnBox, isLogged: await hasLogHere(call, webhook) };
}

/** The transaction must lock the streams of application and guild. @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL */
export async function changeWebhook(
  write: Write,
  { id, guildId, isOnBox, isLogged }: WebhookPlace,
  changes: WebhookChanges,
): Promise<WebhookRecord> {
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
}
