import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Application, Prisma } from '../../infra/database/index.js';
import { isMadeByBox } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { removeCommandsOf } from '../commands/delete.js';
import { dropIcon } from '../icons.js';
import { leaveBox } from '../installations/box-bots.js';
import {
  deleteInstallations,
  removeBot,
  removeServerInstallations,
  streamsOfInstallation,
} from '../installations/uninstall.js';
import { recordForInvited } from '../invited.js';
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
 * Only the owner may delete it. Removes its secrets, grants, commands, webhooks, emojis and installations, and closes
 * its gateway sessions. Then its bot leaves one guild after the other. The rows of application and bot stay as
 * tombstones, so that old messages keep an author. Exactly one of several concurrent calls succeeds.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, INVALID_INPUT if the name is wrong
 */
export async function deleteApplication(call: CallContext, input: DeleteApplicationInput): Promise<void> {
  const { ownerTeamId } = await accessApplication(call, input.applicationId, 'delete');
  const streams = [topics.application(input.applicationId), ...(ownerTeamId ? [topics.team(ownerTeamId)] : [])];
  const { application, boxGuildIds } = await call.write((write) => markDeleted(call, write, input), { streams });
  const { id, iconHash, coverHash } = application;
  await finishDeletion(call, id, boxGuildIds).catch((error: unknown) => {
    call.log.warn({ err: error, applicationId: String(id) }, 'Could not finish a deletion; a job will finish it');
  });
  for (const hash of [iconHash, coverHash]) if (hash) await dropIcon(call, { folder: 'app-icons', id }, hash);
}

interface Marked {
  application: Application;
  boxGuildIds: bigint[];
}

/** Changes nothing that a guild's stream protects. */
async function markDeleted(call: CallContext, write: Write, input: DeleteApplicationInput): Promise<Marked> {
  const { db, record, audit } = write;
  const { applicationId: id, name } = input;
  const application = await accessApplication(call, id, 'delete', db);
  checkTypedName(application, name, 'name');
  await deleteAllWebhooks(call, write, id);
  const installations = await removeServerInstallations(call, write, { applicationId: id });
  const boxGuildIds = installations.flatMap(({ guildId }) => (guildId && isMadeByBox(guildId) ? [guildId] : []));
  await deleteInstallations(call, write, { applicationId: id });
  await db.oAuthGrant.deleteMany({ where: { applicationId: id } });
  await removeCommandsOf(db, id);
  await db.emoji.deleteMany({ where: { applicationId: id } });
  await recordForInvited(write, { applicationId: id });
  await db.tester.deleteMany({ where: { applicationId: id } });
  const now = call.clock.now();
  await db.application.update({ where: { id }, data: { ...TOMBSTONE, deletedAt: new Date(now) } });
  const payload = { applicationId: String(id), boxGuildIds: boxGuildIds.map(String) };
  await write.addJob({ kind: 'finish-deletion', payload, dueAt: now + FINISHED_WITHIN_MS });
  await audit({ action: 'APPLICATION_DELETE', applicationId: id, targetId: id, changes: { name: application.name } });
  record({ type: 'BOT_TOKEN_RESET', applicationId: id });
  record({ type: 'APPLICATION_UPDATED', applicationId: id });
  if (application.ownerTeamId !== null) record({ type: 'TEAM_UPDATED', teamId: application.ownerTeamId });
  return { application, boxGuildIds };
}

/**
 * Removes the bot of a deleted application from its guilds, and then its name. Can resume after an interruption.
 * @throws `signal.reason` when aborted
 */
export async function finishDeletion(
  call: CallContext,
  id: bigint,
  boxGuildIds: readonly bigint[],
  signal?: AbortSignal,
): Promise<void> {
  const { deletedAt, bot } = await call.read.application.findUniqueOrThrow({ where: { id }, include: { bot: true } });
  if (bot.deletedAt !== null) return;
  const memberships = await call.read.member.findMany({ where: { userId: id }, select: { guildId: true } });
  const managed = { applicationId: id, managed: true };
  const roles = await call.read.role.findMany({ where: managed, select: { guildId: true } });
  const guildIds = [...memberships, ...roles].map(({ guildId }) => guildId);
  for (const guildId of new Set([...boxGuildIds, ...guildIds])) {
    await yieldToEventLoop();
    signal?.throwIfAborted();
    const leave = async (write: Write) => {
      await leaveBox(call, write, { botId: id, guildId });
      await removeBot(call, write, id, guildId);
    };
    await call.write(leave, { streams: streamsOfInstallation(id, guildId) });
  }
  // Last, because the events before show the bot as its guilds know it.
  await call.writeOne((db) => db.user.update({ where: { id }, data: { avatarHash: null, deletedAt } }));
}
