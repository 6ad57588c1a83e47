import type { Reader, Transaction, User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { accessApplication } from '../applications/access.js';
import { requireOwnBot } from '../applications/own.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { type GuildChannelAccess, requireText } from '../channels/access.js';
import { DomainError } from '../errors.js';
import { GUILD_OPERATIONS } from '../guild-operations.js';
import { permissionsWithin, requirePermissions } from '../guilds/access.js';
import { limits, WEBHOOKS_PER_CALLER } from '../limits.js';
import { takeAsCaller } from '../rate-limits.js';
import { accessWebhookChannel } from './access.js';
import { LIVE, type WebhookRecord } from './record.js';
import { requireTarget } from './target.js';
import { makeWebhookToken, tokenColumns } from './tokens.js';
import { noteDeed, webhookAuditFields } from './write.js';

interface CreateWebhookInput {
  applicationId: bigint;
  channelId: bigint;
  name: string;
}

/** The token cannot be read again. */
export interface NewWebhookResult {
  webhook: WebhookRecord;
  token: string;
}

const NONE_ON_BOXES = 'Webhooks are not available on self-hosted servers of this instance.';

/**
 * Needs ManageGuild in the channel's guild.
 * @throws UNAUTHENTICATED, NOT_OWN_APPLICATION, TOO_MANY_WEBHOOKS, and the errors of `accessApplication`,
 * {@link findTarget} and {@link prepareWebhook}
 */
export async function createWebhook(call: CallContext, input: CreateWebhookInput): Promise<NewWebhookResult> {
  const { applicationId, channelId } = input;
  await requireDeveloper(call, applicationId);
  const target = await findTarget(call, channelId);
  await requireCapacity(call.read, applicationId);
  const prepared = await prepareWebhook(call, { ...input, ...target });
  return {
    webhook: await call.write((write) => insertWebhook(call, write, prepared), {
      streams: [topics.application(applicationId), topics.guild(target.guildId)],
    }),
    token: prepared.token,
  };
}

/** Where a new webhook posts. */
export interface WebhookTarget {
  guildId: bigint;
  channelId: bigint;
  isOnBox: boolean;
}

/**
 * @throws FORBIDDEN on a box without webhooks, WRONG_CHANNEL_TYPE, UNKNOWN_CHANNEL, MISSING_PERMISSIONS, and the errors
 * of {@link requireManagingWebhooks}
 */
export async function findTarget(call: CallContext, channelId: bigint): Promise<WebhookTarget> {
  const { guildId } = await requireManagingWebhooks(call, channelId);
  const isOnBox = (await call.boxRoutes.ofGuild(guildId)) !== null;
  if (isOnBox && !call.hasBoxWebhooks) throw new DomainError('FORBIDDEN', NONE_ON_BOXES);
  return { guildId, channelId, isOnBox };
}

export interface PreparedWebhook extends WebhookTarget, CreateWebhookInput {
  token: string;
  tokenHash: string;
}

/**
 * Hashes a new token, which takes long.
 * @throws RATE_LIMITED, and for a box the errors of {@link findTarget}
 */
export async function prepareWebhook(
  call: CallContext,
  input: CreateWebhookInput & WebhookTarget,
): Promise<PreparedWebhook> {
  await takeAsCaller(call, WEBHOOKS_PER_CALLER);
  const token = makeWebhookToken();
  const tokenHash = await call.slowHashes.hash(token);
  // Checked before the transaction, which cannot query a box.
  if (input.isOnBox) await requireManagingWebhooks(call, input.channelId);
  return { ...input, token, tokenHash };
}

/**
 * The transaction must lock the streams of application and guild. Checks again what may have changed since.
 * @throws TOO_MANY_WEBHOOKS, MISSING_PERMISSIONS, UNKNOWN_CHANNEL and the errors of `accessApplication`
 */
export async function insertWebhook(
  call: CallContext,
  write: Write,
  { isOnBox, token, ...columns }: PreparedWebhook,
): Promise<WebhookRecord> {
  const { db } = write;
  const { applicationId, guildId, channelId } = columns;
  const creator = await requireDeveloper(call, applicationId, db);
  if (!isOnBox) await requireStillManaging(call, db, guildId);
  await requireTarget(db, { guildId, channelId, isOnBox });
  await requireCapacity(db, applicationId);
  const data = { id: call.nextId(), ...columns, ...tokenColumns(token), creatorId: creator.id };
  const webhook = await db.webhook.create({ data });
  await noteDeed(write, webhook, { action: 'CREATE', changes: webhookAuditFields(webhook) }, !isOnBox);
  return { ...webhook, creator };
}

/** @param read the transaction, if its writes depend on the check */
async function requireDeveloper(
  call: CallContext,
  applicationId: bigint,
  read?: Pick<Reader, 'application' | 'team'>,
): Promise<User> {
  const { actor } = call;
  if (actor.kind !== 'person') return requireOwnBot(call, applicationId);
  await accessApplication(call, applicationId, 'manageWebhooks', read);
  return actor.user;
}

/** @throws WRONG_CHANNEL_TYPE and the errors of {@link accessWebhookChannel} */
export async function requireManagingWebhooks(call: CallContext, channelId: bigint): Promise<GuildChannelAccess> {
  const place = await accessWebhookChannel(call, channelId);
  requireText(place);
  return place;
}

/** Hashing takes time, so the caller's rights may have changed. @throws MISSING_PERMISSIONS */
async function requireStillManaging(call: CallContext, db: Transaction, guildId: bigint): Promise<void> {
  const held = await permissionsWithin(db, guildId, requireUser(call).user.id, call.clock.now());
  requirePermissions(held, GUILD_OPERATIONS.manageWebhooks);
}

/** @throws TOO_MANY_WEBHOOKS */
async function requireCapacity(db: Pick<Reader, 'webhook'>, applicationId: bigint): Promise<void> {
  const most = limits.webhooksPerApplication;
  if ((await db.webhook.count({ where: { applicationId, ...LIVE } })) < most) return;
  throw new DomainError('TOO_MANY_WEBHOOKS', `Maximum number of webhooks reached (${most})`);
}
