import { drainInBatches, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Application, Prisma, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { dropIcon } from '../icons.js';
import { deleteInstallations, removeWithoutLog, streamsOfInstallation } from '../installations/uninstall.js';
import { recordForInvited } from '../invited.js';
import { removeGrants } from '../oauth/expired.js';
import { deleteAllWebhooks } from '../webhooks/delete.js';
import { accessApplication } from './access.js';
import { checkTypedName } from './typed-name.js';

export interface DeleteApplicationInput {
  applicationId: bigint;
  /** The application's name, typed as confirmation. */
  name: string;
}

const TOMBSTONE = {
  privateKey: '',
  botTokenHash: null,
  botTokenLast4: null,
  botTokenCreatedAt: null,
  botTokenCreatedById: null,
  botTokenLastUsedAt: null,
  clientSecretHash: null,
  clientSecretPrefix: null,
  clientSecretLast4: null,
  clientSecretCreatedAt: null,
  clientSecretCreatedById: null,
  clientSecretLastUsedAt: null,
  interactionsEndpointUrl: null,
  iconHash: null,
  coverHash: null,
} satisfies Prisma.ApplicationUncheckedUpdateInput;

/** A process that was killed in between leaves the rest of the work to the job. */
const FINISHED_WITHIN_MS = 60_000;

/**
 * Only the owner may delete it. Removes its secrets, webhooks and emojis, ends its tokens and closes its gateway
 * sessions. Then its bot leaves one guild after the other, and its other rows are removed in batches. The rows of
 * application and bot stay as tombstones, so that old messages keep an author. Exactly one of several concurrent calls
 * succeeds.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, INVALID_INPUT if the name is wrong
 */
export async function deleteApplication(call: CallContext, input: DeleteApplicationInput): Promise<void> {
  const { applicationId, name } = input;
  await removeApplication(call, await accessApplication(call, applicationId, 'delete'), async (db) => {
    const application = await accessApplication(call, applicationId, 'delete', db);
    checkTypedName(application, name, 'name');
    return application;
  });
}

/**
 * As {@link deleteApplication}, without its checks.
 * @param access loads the application if the caller may delete it
 * @throws what `access` throws
 */
export async function removeApplication(
  call: CallContext,
  { id, ownerTeamId }: Pick<Application, 'id' | 'ownerTeamId'>,
  access: (db: Transaction) => Promise<Application>,
): Promise<void> {
  const streams = [topics.application(id), ...(ownerTeamId ? [topics.team(ownerTeamId)] : [])];
  const remove = async (write: Write) => markDeleted(call, write, await access(write.db));
  const { iconHash, coverHash } = await call.write(remove, { streams });
  await finishDeletion(call, id).catch((error: unknown) => {
    call.log.warn({ err: error, applicationId: String(id) }, 'Could not finish a deletion; a job will finish it');
  });
  for (const hash of [iconHash, coverHash]) if (hash) await dropIcon(call, { folder: 'app-icons', id }, hash);
}

/** Changes nothing that a guild's stream protects. */
async function markDeleted(call: CallContext, write: Write, application: Application): Promise<Application> {
  const { db, record, audit } = write;
  const { id } = application;
  await deleteAllWebhooks(call, write, id);
  await db.emoji.deleteMany({ where: { applicationId: id } });
  await recordForInvited(write, { applicationId: id });
  await db.tester.deleteMany({ where: { applicationId: id } });
  const now = call.clock.now();
  await db.application.update({ where: { id }, data: { ...TOMBSTONE, deletedAt: new Date(now) } });
  const payload = { applicationId: String(id) };
  await write.addJob({ kind: 'finish-deletion', payload, dueAt: now + FINISHED_WITHIN_MS });
  await audit({ action: 'APPLICATION_DELETE', applicationId: id, targetId: id, changes: { name: application.name } });
  record({ type: 'BOT_TOKEN_RESET', applicationId: id });
  record({ type: 'APPLICATION_UPDATED', applicationId: id });
  if (application.ownerTeamId !== null) record({ type: 'TEAM_UPDATED', teamId: application.ownerTeamId });
  return application;
}

/**
 * Removes a deleted application from its guilds, then its other rows, and then the name of its bot. Can resume after an
 * interruption.
 * @throws `signal.reason` when aborted
 */
export async function finishDeletion(
  call: CallContext,
  id: bigint,
  signal = new AbortController().signal,
): Promise<void> {
  const { deletedAt, bot } = await call.read.application.findUniqueOrThrow({ where: { id }, include: { bot: true } });
  if (bot.deletedAt !== null) return;
  for (const guildId of await guildsOf(call, id)) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    const leave = (write: Write) => removeWithoutLog(call, write, id, guildId);
    await call.write(leave, { streams: streamsOfInstallation(id, guildId) });
  }
  await removeRows(call, id, signal);
  // Last, because the events before show the bot as its guilds know it.
  await call.writeOne((db) => db.user.update({ where: { id }, data: { avatarHash: null, deletedAt } }));
}

async function guildsOf({ read }: CallContext, id: bigint): Promise<Set<bigint>> {
  const select = { guildId: true };
  const installations = await read.installation.findMany({ where: { applicationId: id }, select });
  const memberships = await read.member.findMany({ where: { userId: id }, select });
  const roles = await read.role.findMany({ where: { applicationId: id, managed: true }, select });
  return new Set([...installations, ...memberships, ...roles].flatMap(({ guildId }) => guildId ?? []));
}

/** Blocks other SQLite writers for a few milliseconds. */
const ROWS_PER_STATEMENT = 200;

async function removeRows(call: CallContext, applicationId: bigint, signal: AbortSignal): Promise<void> {
  const some = { where: { applicationId }, limit: ROWS_PER_STATEMENT };
  const streams = [topics.application(applicationId)];
  const kinds = [
    () => call.write(async (write) => ({ count: await deleteInstallations(call, write, some) }), { streams }),
    () => call.writeOne((db) => db.commandPermission.deleteMany(some)),
    () => call.writeOne((db) => db.applicationCommand.deleteMany(some)),
    () => call.writeOne((db) => db.commandQuota.deleteMany(some)),
  ];
  for (const removeSome of kinds) {
    await drainInBatches(signal, async () => (await removeSome()).count === ROWS_PER_STATEMENT);
  }
  const grants = { where: { applicationId }, orderBy: { userId: 'asc' } } as const;
  for await (const _batch of removeGrants(call.read, call.writeOne, grants, ROWS_PER_STATEMENT)) {
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
}
