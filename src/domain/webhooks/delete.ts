import { yieldOnce } from '../../infra/concurrency/event-loop.js';
import type { Prisma, Webhook } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireWebhook, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessWebhook } from './access.js';
import { LIVE } from './record.js';
import { hasLogHere, noteDeed, webhookAuditFields } from './write.js';

/** Of concurrent deletes, only one succeeds. @throws the errors of `accessWebhook` */
export async function deleteWebhook(call: CallContext, id: bigint): Promise<void> {
  await remove(call, await accessWebhook(call, id, 'delete'));
}

/** @throws UNKNOWN_WEBHOOK */
export async function deleteByToken(call: CallContext): Promise<void> {
  await remove(call, requireWebhook(call).webhook);
}

async function remove(call: CallContext, webhook: Webhook): Promise<void> {
  const isLogged = await hasLogHere(call, webhook);
  await call.write((write) => endWebhook(call, write, webhook.id, isLogged), {
    streams: [topics.application(webhook.applicationId), topics.guild(webhook.guildId)],
  });
}

/**
 * The transaction must lock the streams of application and guild.
 * @param isLogged the result of `hasLogHere`
 * @throws UNKNOWN_WEBHOOK
 */
export async function endWebhook(call: CallContext, write: Write, id: bigint, isLogged: boolean): Promise<void> {
  const [ended] = await endAll(call, write, { id });
  if (!ended) throw new DomainError('UNKNOWN_WEBHOOK');
  await noteDeed(write, ended, { action: 'DELETE', changes: webhookAuditFields(ended) }, isLogged);
}

/** Logs and publishes nothing, because the application's deletion is logged. */
export async function deleteAllWebhooks(call: CallContext, write: Write, applicationId: bigint): Promise<void> {
  await endAll(call, write, { applicationId });
}

const NOTED_PER_ROUND = 10;

/** Logs each webhook for the application, and for the guild unless its box keeps the log. */
export async function deleteWebhooksIn(
  call: CallContext,
  write: Write,
  where: { applicationId: bigint; guildId: bigint },
  { isLoggedThere = true } = {},
): Promise<void> {
  for (const [index, webhook] of (await endAll(call, write, where)).entries()) {
    if (index % NOTED_PER_ROUND === 0) await yieldOnce();
    await noteDeed(write, webhook, { action: 'DELETE', changes: webhookAuditFields(webhook) }, isLoggedThere);
  }
}

/** For a guild removed from a box. Logs each webhook only for its application. */
export async function deleteWebhooksOfGuild(call: CallContext, write: Write, guildId: bigint): Promise<void> {
  for (const [index, webhook] of (await endAll(call, write, { guildId })).entries()) {
    if (index % NOTED_PER_ROUND === 0) await yieldOnce();
    await noteDeed(write, webhook, { action: 'DELETE', changes: webhookAuditFields(webhook) }, false);
  }
}

/** Keeps the rows but erases the token hashes. @returns the rows before the change */
async function endAll(call: CallContext, { db }: Write, where: Prisma.WebhookWhereInput): Promise<Webhook[]> {
  const live = { ...where, ...LIVE };
  const webhooks = await db.webhook.findMany({ where: live, orderBy: { id: 'asc' } });
  if (webhooks.length === 0) return [];
  const deletedAt = new Date(call.clock.now());
  await db.webhook.updateMany({ where: live, data: { deletedAt, tokenHash: '' } });
  return webhooks;
}
