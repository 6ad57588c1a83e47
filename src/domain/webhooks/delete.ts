import type { Prisma, Webhook } from '../../infra/database/index.js';
import { nextRound } from '../../infra/turns.js';
import { type CallContext, requireWebhook, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessWebhook } from './access.js';
import { LIVE } from './record.js';
import { hasLogHere, noteDeed, webhookFacts } from './write.js';

/** Deletes a webhook: its token stops working at once. Of several at once, one succeeds. @throws what `accessWebhook` throws */
export async function deleteWebhook(call: CallContext, id: bigint): Promise<void> {
  await remove(call, await accessWebhook(call, id, 'delete'));
}

/** Deletes the webhook whose token was shown. @throws UNKNOWN_WEBHOOK */
export async function deleteByToken(call: CallContext): Promise<void> {
  await remove(call, requireWebhook(call).webhook);
}

async function remove(call: CallContext, webhook: Webhook): Promise<void> {
  const isLogged = await hasLogHere(call, webhook);
  await call.write(
    async (write) => {
      const [ended] = await endAll(call, write, { id: webhook.id });
      if (!ended) throw new DomainError('UNKNOWN_WEBHOOK');
      await noteDeed(write, ended, { action: 'DELETE', changes: webhookFacts(ended) }, isLogged);
    },
    { serializable: true },
  );
}

/** Deletes all webhooks of an application that is deleted itself. Its log and those of servers tell of that, and no bot is left to be told. */
export async function deleteAllWebhooks(call: CallContext, write: Write, applicationId: bigint): Promise<void> {
  await endAll(call, write, { applicationId });
}

/** Webhooks that are noted before others have a turn. */
const NOTED_PER_ROUND = 10;

/** Deletes the webhooks of an application in a server that shows it out, and tells each in the logs of both; a box keeps its servers' logs itself. */
export async function deleteWebhooksIn(
  call: CallContext,
  write: Write,
  where: { applicationId: bigint; guildId: bigint },
  { isLoggedThere = true } = {},
): Promise<void> {
  for (const [index, webhook] of (await endAll(call, write, where)).entries()) {
    if (index % NOTED_PER_ROUND === 0) await nextRound();
    await noteDeed(write, webhook, { action: 'DELETE', changes: webhookFacts(webhook) }, isLoggedThere);
  }
}

/** Deletes all webhooks of servers on a box that are there no more, and tells each in the log of its application. */
export async function deleteWebhooksOfGuilds(call: CallContext, write: Write, guildIds: bigint[]): Promise<void> {
  for (const [index, webhook] of (await endAll(call, write, { guildId: { in: guildIds } })).entries()) {
    if (index % NOTED_PER_ROUND === 0) await nextRound();
    await noteDeed(write, webhook, { action: 'DELETE', changes: webhookFacts(webhook) }, false);
  }
}

/** The rows stay; nothing is left of a token that could be compared with one. @returns those that there were, as they were */
async function endAll(call: CallContext, { db }: Write, where: Prisma.WebhookWhereInput): Promise<Webhook[]> {
  const live = { ...where, ...LIVE };
  const webhooks = await db.webhook.findMany({ where: live, orderBy: { id: 'asc' } });
  if (webhooks.length === 0) return [];
  const deletedAt = new Date(call.clock.now());
  await db.webhook.updateMany({ where: live, data: { deletedAt, tokenHash: '' } });
  return webhooks;
}
