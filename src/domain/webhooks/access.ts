import type { Reader, Webhook } from '../../infra/database/index.js';
import { type SlowHashes, TooManyChecks } from '../../infra/slow-hashes.js';
import { accessApplication } from '../applications/access.js';
import type { ApplicationViews } from '../applications/views.js';
import { accessBoxGuild } from '../boxes/access.js';
import { type Actor, type CallContext, requireUser } from '../call.js';
import type { GuildPlace } from '../channels/place.js';
import { DomainError, isAllowed, missingPermissions } from '../errors.js';
import { accessGuild, accessGuildChannel } from '../guilds/access.js';
import { ALL_PERMISSIONS } from '../permissions.js';
import { LIVE, type WebhookRecord, WITH_CREATOR } from './record.js';
import { prefixOf } from './tokens.js';

/** When to try again where too many tokens are being checked, in milliseconds. */
const BUSY_RETRY_MS = 1_000;

/** What checking a token takes. */
export interface TokenChecker {
  read: Reader;
  applications: ApplicationViews;
  slowHashes: SlowHashes;
  /** The address from which the token is shown. */
  address: string;
}

/**
 * Who shows the token of a webhook. A wrong token takes as long as the right one, and so does the id of no webhook. What the actor may do is
 * asked of the row as it is then: the check takes its time, and the rest of the request may.
 * @throws UNKNOWN_WEBHOOK for one that there is not, or that was deleted, INVALID_WEBHOOK_TOKEN for a token that is not its own, and
 *   RATE_LIMITED while too many are being checked
 */
export async function actorOfWebhook(
  checker: TokenChecker,
  id: bigint,
  token: string,
): Promise<Extract<Actor, { kind: 'webhook' }>> {
  const { read, applications } = checker;
  const prefix = prefixOf(token);
  if (prefix === null) throw new DomainError('INVALID_WEBHOOK_TOKEN');
  const webhook = await read.webhook.findUnique({ where: { id, ...LIVE } });
  const isGood = await check(checker, token, webhook?.tokenPrefix === prefix ? webhook.tokenHash : null);
  const application = webhook && (await applications.application(webhook.applicationId));
  if (!webhook || !application) throw new DomainError('UNKNOWN_WEBHOOK');
  if (!isGood) throw new DomainError('INVALID_WEBHOOK_TOKEN');
  return { kind: 'webhook', user: application.bot, webhook, application };
}

async function check({ slowHashes, address }: TokenChecker, token: string, stored: string | null): Promise<boolean> {
  try {
    return await slowHashes.matches(token, stored, address);
  } catch (error) {
    if (!(error instanceof TooManyChecks)) throw error;
    const message = 'Too many webhook tokens are being checked; try again in a second.';
    throw new DomainError('RATE_LIMITED', message, { retryAfterMs: BUSY_RETRY_MS });
  }
}

/** A channel of a server whose webhooks the caller may manage. @throws what `accessGuildChannel` and `accessGuild` throw */
export async function accessWebhookChannel(call: CallContext, channelId: bigint): Promise<GuildPlace> {
  const route = await call.boxRoutes.ofChannel(channelId);
  if (route && (await ownsBoxOf(call, route.guildId))) return placeOfBoxOwner(call, route.guildId, channelId);
  const place = await accessGuildChannel(call, channelId, 'viewChannel');
  await accessGuild(call, place.guildId, 'manageWebhooks');
  return place;
}

/** Whether a server is on a box of the caller's, who may in the cloud what its owner may, and is no member there (docs/decisions.md, 251). */
async function ownsBoxOf(call: CallContext, guildId: bigint): Promise<boolean> {
  return call.actor.kind === 'person' && isAllowed(() => accessBoxGuild(call, guildId));
}

async function placeOfBoxOwner(call: CallContext, guildId: bigint, channelId: bigint): Promise<GuildPlace> {
  const channel = await call.guilds.channel(guildId, channelId);
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  const { type, rateLimitPerUser } = channel;
  return { kind: 'guild', channelId, guildId, type, rateLimitPerUser, member: null, permissions: ALL_PERMISSIONS };
}

/**
 * A webhook that the caller may see, or change and delete. Both are for whoever has ManageGuild in its server, and for people by their role in
 * its application; its own bot sees it without. Where its server is gone, its own bot may do both.
 * @throws UNAUTHENTICATED, UNKNOWN_WEBHOOK, MISSING_PERMISSIONS, and MISSING_ACCESS for a bot that is not in its server
 */
export async function accessWebhook(
  call: CallContext,
  id: bigint,
  operation: 'view' | 'manage',
): Promise<WebhookRecord> {
  requireUser(call);
  const webhook = await call.read.webhook.findUnique({ where: { id, ...LIVE }, include: WITH_CREATOR });
  if (!webhook) throw new DomainError('UNKNOWN_WEBHOOK');
  if (await mayAsOwner(call, webhook, operation)) return webhook;
  await requireManagingServer(call, webhook);
  return webhook;
}

/** Whether the caller may as who develops its application, or is its bot. */
async function mayAsOwner(call: CallContext, webhook: Webhook, operation: 'view' | 'manage'): Promise<boolean> {
  const { actor } = call;
  const { applicationId, guildId } = webhook;
  if (actor.kind === 'bot') {
    if (actor.applicationId !== applicationId) return false;
    return operation === 'view' || (await call.guilds.view(guildId)) === null;
  }
  const needed = operation === 'view' ? 'view' : 'manageWebhooks';
  return isAllowed(() => accessApplication(call, applicationId, needed));
}

/** Whoever may not even see it finds none; so does everybody where its server is gone. */
async function requireManagingServer(call: CallContext, { applicationId, guildId }: Webhook): Promise<void> {
  if (await ownsBoxOf(call, guildId)) return;
  try {
    await accessGuild(call, guildId, 'manageWebhooks');
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'UNKNOWN_GUILD') throw error;
    const isSeen = await isAllowed(() => accessApplication(call, applicationId, 'view'));
    throw isSeen ? missingPermissions() : new DomainError('UNKNOWN_WEBHOOK');
  }
}
