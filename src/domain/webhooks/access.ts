import type { Prisma, Reader, Webhook } from '../../infra/database/index.js';
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

/**
 * A channel that the caller sees, as a member of its server or as the owner of its box.
 * @throws what `accessGuildChannel` throws
 */
export async function accessSeenChannel(call: CallContext, channelId: bigint): Promise<GuildPlace> {
  const route = await call.boxRoutes.ofChannel(channelId);
  if (route && (await ownsBoxOf(call, route.guildId))) return placeOfBoxOwner(call, route.guildId, channelId);
  return accessGuildChannel(call, channelId, 'viewChannel');
}

/** The same, of a server in which the caller may make webhooks. @throws what {@link accessSeenChannel} and `accessGuild` throw */
export async function accessWebhookChannel(call: CallContext, channelId: bigint): Promise<GuildPlace> {
  const place = await accessSeenChannel(call, channelId);
  if (place.member) await accessGuild(call, place.guildId, 'manageWebhooks');
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

/** What is done with a webhook. */
type WebhookOperation = 'view' | 'update' | 'delete';

/**
 * A webhook that the caller may use in this way. Its application's bot may do everything, people may by their role in the application. People with
 * ManageGuild in its server, and the owner of its server's box, may see and delete it. To any other bot it does not exist.
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

/** The webhooks that the caller is shown in lists, as far as that follows from who they are: a bot sees those of its application only. */
export function webhooksShownTo({ actor }: Pick<CallContext, 'actor'>): Prisma.WebhookWhereInput {
  return { ...LIVE, ...(actor.kind === 'bot' ? { applicationId: actor.applicationId } : {}) };
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
