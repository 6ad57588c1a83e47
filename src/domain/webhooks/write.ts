import type { Prisma, Webhook } from '../../infra/database/index.js';
import type { AuditChanges } from '../audit-log/actions.js';
import type { CallContext, Write } from '../call.js';
import type { DomainEvent } from '../events.js';
import { LIVE } from './record.js';

/** What was done to a webhook, with what the ledger keeps of it. */
type Deed =
  | { action: 'CREATE'; changes: AuditChanges['WEBHOOK_CREATE'] }
  | { action: 'UPDATE'; changes: AuditChanges['WEBHOOK_UPDATE'] }
  | { action: 'DELETE'; changes: AuditChanges['WEBHOOK_DELETE'] };

/** What the ledger keeps of a webhook that came to be, or went. */
export function webhookFacts({ name, channelId, applicationId }: Webhook): AuditChanges['WEBHOOK_CREATE'] {
  return { name, channelId: String(channelId), applicationId: String(applicationId) };
}

/**
 * Notes what was done to a webhook: in the log of its application, in that of its server where that is here, and as events.
 * @param isLoggedByServer as {@link hasLogHere} tells
 */
export async function noteDeed(
  { audit, record }: Write,
  webhook: Webhook,
  deed: Deed,
  isLoggedByServer: boolean,
): Promise<void> {
  const { id: targetId, applicationId, guildId } = webhook;
  switch (deed.action) {
    case 'CREATE':
      await audit({ action: 'APPLICATION_WEBHOOK_CREATE', applicationId, targetId, changes: deed.changes });
      if (isLoggedByServer) await audit({ action: 'WEBHOOK_CREATE', guildId, targetId, changes: deed.changes });
      break;
    case 'UPDATE':
      await audit({ action: 'APPLICATION_WEBHOOK_UPDATE', applicationId, targetId, changes: deed.changes });
      if (isLoggedByServer) await audit({ action: 'WEBHOOK_UPDATE', guildId, targetId, changes: deed.changes });
      break;
    case 'DELETE':
      await audit({ action: 'APPLICATION_WEBHOOK_DELETE', applicationId, targetId, changes: deed.changes });
      if (isLoggedByServer) await audit({ action: 'WEBHOOK_DELETE', guildId, targetId, changes: deed.changes });
      break;
  }
  record(webhooksUpdate(webhook));
  record({ type: 'APPLICATION_WEBHOOKS_UPDATED', applicationId });
}

/** Tells the application's bot that something changed about a webhook in its channel. */
export function webhooksUpdate({ applicationId, guildId, channelId }: Webhook): DomainEvent {
  return { type: 'WEBHOOKS_UPDATE', applicationId, guildId, channelId };
}

/** Tells those who watch an application that webhooks of its lost their channels. */
export async function tellOfUnusable(
  { db, record }: Pick<Write, 'db' | 'record'>,
  where: Prisma.WebhookWhereInput,
): Promise<void> {
  const applications = await db.webhook.groupBy({ by: ['applicationId'], where: { ...where, ...LIVE } });
  for (const { applicationId } of applications) record({ type: 'APPLICATION_WEBHOOKS_UPDATED', applicationId });
}

/** Whether what is done to a webhook stands in its server's log here: not where that was deleted, or is on a box, which keeps its own. */
export async function hasLogHere(
  { boxRoutes, guilds }: Pick<CallContext, 'boxRoutes' | 'guilds'>,
  { guildId }: Pick<Webhook, 'guildId'>,
): Promise<boolean> {
  return (await boxRoutes.ofGuild(guildId)) === null && (await guilds.view(guildId)) !== null;
}
