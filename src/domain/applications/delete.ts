import type { Application, Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { removeCommandsOf } from '../commands/delete.js';
import { dropIcon } from '../icons.js';
import { deleteInstallations, removeFromGuilds } from '../installations/uninstall.js';
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

/**
 * Only the owner may delete it. Removes its secrets, grants, commands, webhooks, emojis and installations, and closes
 * its gateway sessions. The rows of application and bot stay as tombstones, so that old messages keep an author.
 * Exactly one of several concurrent calls succeeds.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, INVALID_INPUT if the name is wrong
 */
export async function deleteApplication(call: CallContext, input: DeleteApplicationInput): Promise<void> {
  const { id, ...pictures } = await call.write((write) => markDeleted(call, write, input), {
    streams: [topics.application(input.applicationId), topics.user(input.applicationId)],
  });
  for (const hash of [pictures.iconHash, pictures.coverHash]) {
    if (hash) await dropIcon(call, { folder: 'app-icons', id }, hash);
  }
}

async function markDeleted(call: CallContext, write: Write, input: DeleteApplicationInput): Promise<Application> {
  const { db, record, audit } = write;
  const { applicationId: id, name } = input;
  const application = await accessApplication(call, id, 'delete', db);
  checkTypedName(application, name, 'name');
  await deleteAllWebhooks(call, write, id);
  await removeFromGuilds(call, write, id);
  await deleteInstallations(call, write, { applicationId: id });
  await db.oAuthGrant.deleteMany({ where: { applicationId: id } });
  await removeCommandsOf(db, id);
  await db.emoji.deleteMany({ where: { applicationId: id } });
  await recordForInvited(write, { applicationId: id });
  await db.tester.deleteMany({ where: { applicationId: id } });
  const deletedAt = new Date(call.clock.now());
  await db.application.update({ where: { id }, data: { ...TOMBSTONE, deletedAt } });
  await db.user.update({ where: { id }, data: { avatarHash: null, deletedAt } });
  await audit({ action: 'APPLICATION_DELETE', applicationId: id, targetId: id, changes: { name: application.name } });
  record({ type: 'BOT_TOKEN_RESET', applicationId: id });
  record({ type: 'APPLICATION_UPDATED', applicationId: id });
  if (application.ownerTeamId !== null) record({ type: 'TEAM_UPDATED', teamId: application.ownerTeamId });
  return application;
}
