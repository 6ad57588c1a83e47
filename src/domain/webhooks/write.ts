import type { Prisma, Webhook } from '../../infra/database/index.js';
import type { AuditChanges } from '../audit-log/actions.js';
import type { CallContext, Write } from '../call.js';
import type { DomainEvent } from '../events.js';
import { LIVE } from './record.js';

type Deed =
  | { action: 'CREATE'; changes: AuditChanges['WEBHOOK_CREATE'] }
  | { action: 'UPDATE'; changes: AuditChanges['WEBHOOK_UPDATE'] }
  | { action: 'DELETE'; changes: AuditChanges['WEBHOOK_DELETE'] };

export function webhookAuditFields({ name, channelId, applicationId }: Webhook): AuditChanges['WEBHOOK_CREATE'] {
  return { name, channelId: String(channelId), applicationId: String(applicationId) };
}

/**
 * Logs the change for the application and its guild, and publishes its events.
 * @param isLoggedByServer the result of {@link hasLogHere}
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

export function webhooksUpdate({ applicationId, guildId, channelId }: Webhook): DomainEvent {
  return { type: 'WEBHOOKS_UPDATE', applicationId, guildId, channelId };
}

/** Notifies subscribers of applications whose webhooks lost their channels. */
export async function publishUnusable(
  { db, record }: Pick<Write, 'db' | 'record'>,
  where: Prisma.WebhookWhereInput,
): Promise<void> {
  const applications = await db.webhook.groupBy({ by: ['applicationId'], where: { ...where, ...LIVE } });
  for (const { applicationId } of applications) record({ type: 'APPLICATION_WEBHOOKS_UPDATED', applicationId });
}

/** A deleted guild has no log here, and a box keeps its guilds' logs. */
export async function hasLogHere(
  { boxRoutes, guilds }: Pick<CallContext, 'boxRoutes' | 'guilds'>,
  { guildId }: Pick<Webhook, 'guildId'>,
): Promise<boolean> {
  return (await boxRoutes.ofGuild(guildId)) === null && (await guilds.view(guildId)) !== null;
}
