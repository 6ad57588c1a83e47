import { type SlowHashes, TooManyChecks } from '../../infra/crypto/slow-hashes.js';
import type { Prisma, Reader, Webhook } from '../../infra/database/index.js';
import { accessApplication } from '../applications/access.js';
import type { ApplicationViews } from '../applications/views.js';
import { accessBoxGuild } from '../boxes/access.js';
import { type Actor, type CallContext, requireUser } from '../call.js';
import type { GuildChannelAccess } from '../channels/access.js';
import { DomainError, isAllowed, missingPermissions } from '../errors.js';
import { accessGuild, accessGuildChannel } from '../guilds/access.js';
import { ALL_PERMISSIONS } from '../permissions.js';
import { LIVE, type WebhookRecord, WITH_CREATOR } from './record.js';
import { prefixOf } from './tokens.js';

const BUSY_RETRY_MS = 1_000;

export interface TokenChecker {
  read: Reader;
  applications: ApplicationViews;
  slowHashes: SlowHashes;
  /** The client's IP address. */
  address: string;
}

/**
 * A wrong token or id takes as long as a right one. Callers must read the row again, because check and request body
 * take time.
 * @throws UNKNOWN_WEBHOOK, INVALID_WEBHOOK_TOKEN, and RATE_LIMITED during too many checks
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
    const message = 'Too many webhook tokens are being checked. Try again in a second.';
    throw new DomainError('RATE_LIMITED', message, { retryAfterMs: BUSY_RETRY_MS });
  }
}

/** The caller must see the channel as a member, or own its box. @throws the errors of `accessGuildChannel` */
export async function accessSeenChannel(call: CallContext, channelId: bigint): Promise<GuildChannelAccess> {
  const route = await call.boxRoutes.ofChannel(channelId);
  if (route && (await ownsBoxOf(call, route.guildId))) return placeOfBoxOwner(call, route.guildId, channelId);
  return accessGuildChannel(call, channelId, 'viewChannel');
}

/**
 * Also needs ManageGuild, unless the caller owns the box.
 * @throws the errors of {@link accessSeenChannel} and `accessGuild`
 */
export async function accessWebhookChannel(call: CallContext, channelId: bigint): Promise<GuildChannelAccess> {
  const place = await accessSeenChannel(call, channelId);
  if (place.member) await accessGuild(call, place.guildId, 'manageWebhooks');
  return place;
}

/** A box owner has all rights in its guilds, even without membership. */
async function ownsBoxOf(call: CallContext, guildId: bigint): Promise<boolean> {
  return call.actor.kind === 'person' && isAllowed(() => accessBoxGuild(call, guildId));
}

async function placeOfBoxOwner(call: CallContext, guildId: bigint, channelId: bigint): Promise<GuildChannelAccess> {
  const channel = await call.guilds.channel(guildId, channelId);
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  const { type, rateLimitPerUser } = channel;
  const rights = { member: null, permissions: ALL_PERMISSIONS, asOf: 0 };
  return { kind: 'guild', channelId, guildId, type, rateLimitPerUser, ...rights };
}

type WebhookOperation = 'view' | 'update' | 'delete';

/**
 * The application's bot may do everything, and developers what their role permits. Users with ManageGuild and the owner
 * of the box may view and delete. Other bots do not see the webhook.
 * @throws UNAUTHENTICATED, UNKNOWN_WEBHOOK, MISSING_PERMISSIONS
 */
export async function accessWebhook(
  call: CallContext,
  id: bigint,
  operation: WebhookOperation,
): Promise<WebhookRecord> {
  requireUser(call);
  const webhook = await call.read.webhook.findUnique({ where: { id, ...LIVE }, include: WITH_CREATOR });
  if (!webhook) throw new DomainError('UNKNOWN_WEBHOOK');
  const { applicationId } = webhook;
  if (call.actor.kind === 'bot') {
    if (call.actor.applicationId !== applicationId) throw new DomainError('UNKNOWN_WEBHOOK');
    return webhook;
  }
  const needed = operation === 'view' ? 'view' : 'manageWebhooks';
  if (await isAllowed(() => accessApplication(call, applicationId, needed))) return webhook;
  await requireManagingServer(call, webhook);
  if (operation === 'update') throw missingPermissions();
  return webhook;
}

export function webhooksShownTo({ actor }: Pick<CallContext, 'actor'>): Prisma.WebhookWhereInput {
  return { ...LIVE, ...(actor.kind === 'bot' ? { applicationId: actor.applicationId } : {}) };
}

/** @throws MISSING_PERMISSIONS, or UNKNOWN_WEBHOOK if the caller may view neither guild nor application */
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
