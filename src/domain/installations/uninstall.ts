import type { Installation, Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { endUninstalled } from '../interactions/delivery/uninstalled.js';
import { deleteMember } from '../members/rows.js';
import { forgetRole } from '../roles/forget.js';
import { endVoice } from '../voice/leave.js';
import { deleteWebhooksIn } from '../webhooks/delete.js';
import { leaveBox } from './box-bots.js';
import { auditedIntegration } from './integration.js';

/**
 * In a guild, needs ManageGuild, and the bot leaves too. For a guild on a box, the caller must own the box, and a job
 * removes the bot there.
 * @throws UNAUTHENTICATED, UNKNOWN_INSTALLATION, MISSING_PERMISSIONS
 */
export async function uninstallApplication(call: CallContext, installationId: bigint): Promise<void> {
  const { user } = requirePerson(call);
  const installation = await call.read.installation.findUnique({ where: { id: installationId } });
  if (!installation) throw new DomainError('UNKNOWN_INSTALLATION');
  const { applicationId, guildId } = installation;
  if (guildId === null) return removeFromUser(call, installation);
  if (await call.boxRoutes.ofGuild(guildId)) return removeFromOwnBox(call, installation.applicationId, guildId);
  if (!(await call.guilds.member(guildId, user.id))) throw new DomainError('UNKNOWN_INSTALLATION');
  await accessGuild(call, guildId, 'uninstallApplication');
  const remove = async (write: Write) => {
    const removed = await removeFromGuild(call, write, applicationId, guildId);
    if (removed.installationId === null) throw new DomainError('UNKNOWN_INSTALLATION');
    if (removed.memberships > 0) await write.audit({ action: 'MEMBER_KICK', guildId, targetId: applicationId });
  };
  await call.write(remove, { streams: streamsOfInstallation(applicationId, guildId) });
}

async function removeFromOwnBox(call: CallContext, applicationId: bigint, guildId: bigint): Promise<void> {
  const where = { id: guildId, box: { ownerId: requirePerson(call).user.id } };
  const guild = await call.read.boxGuild.findFirst({ where, select: { id: true } });
  if (!guild || !(await uninstallFromBox(call, applicationId, guildId))) throw new DomainError('UNKNOWN_INSTALLATION');
}

/** Does not check permissions. @returns whether the application was installed */
export async function uninstallFromBox(call: CallContext, applicationId: bigint, guildId: bigint): Promise<boolean> {
  const remove = async (write: Write) => {
    await deleteWebhooksIn(call, write, { applicationId, guildId }, { isLoggedThere: false });
    return removeWithoutLog(call, write, applicationId, guildId);
  };
  const streams = streamsOfInstallation(applicationId, guildId);
  return (await call.write(remove, { streams })).installationId !== null;
}

async function removeFromUser(call: CallContext, installation: Installation): Promise<void> {
  const { id, applicationId, userId } = installation;
  if (userId !== requirePerson(call).user.id) throw new DomainError('UNKNOWN_INSTALLATION');
  const remove = async (write: Write) => {
    const count = await deleteInstallations(call, write, { where: { applicationId, id } });
    if (count === 0) throw new DomainError('UNKNOWN_INSTALLATION');
    await write.audit({ action: 'INSTALLATION_DELETE', applicationId, targetId: userId });
    write.record({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
  };
  await call.write(remove, { streams: [topics.application(applicationId), topics.user(userId)] });
}

/**
 * Also ends interaction tokens that depend on the installations. The transaction must lock the application's
 * stream.
 * @returns the number of removed installations
 */
export async function deleteInstallations(
  call: CallContext,
  write: Write,
  some: Prisma.InstallationDeleteManyArgs & { where: { applicationId: bigint } },
): Promise<number> {
  const { count } = await write.db.installation.deleteMany(some);
  if (count > 0) await endUninstalled(call, write, some.where.applicationId);
  return count;
}

/** The bot's membership changes with it. */
export function streamsOfInstallation(applicationId: bigint, guildId: bigint): string[] {
  return [topics.application(applicationId), topics.guild(guildId), topics.user(applicationId)];
}

interface Removed {
  /** Null if it was not installed. */
  installationId: bigint | null;
  memberships: number;
}

/** As {@link removeWithoutLog}, but also writes to the guild's audit log. */
export async function removeFromGuild(
  call: CallContext,
  write: Write,
  applicationId: bigint,
  guildId: bigint,
): Promise<Removed> {
  await deleteWebhooksIn(call, write, { applicationId, guildId });
  const removed = await removeWithoutLog(call, write, applicationId, guildId);
  const { installationId: targetId } = removed;
  if (targetId === null) return removed;
  const changes = auditedIntegration(await write.db.application.findUniqueOrThrow({ where: { id: applicationId } }));
  await write.audit({ action: 'INTEGRATION_DELETE', guildId, targetId, changes });
  return removed;
}

/**
 * Removes an application's installation, bot, managed role and command permissions from a guild. Missing parts are
 * ignored. A job removes the bot from a box. The transaction must lock {@link streamsOfInstallation}.
 */
export async function removeWithoutLog(
  call: CallContext,
  write: Write,
  applicationId: bigint,
  guildId: bigint,
): Promise<Removed> {
  const { db, audit, record } = write;
  const where = { applicationId, guildId };
  const installation = await db.installation.findUnique({ where: { applicationId_guildId: where } });
  if (installation) {
    await deleteInstallations(call, write, { where });
    await audit({ action: 'INSTALLATION_DELETE', ...where, targetId: applicationId });
    record({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
    await leaveBox(call, write, { botId: applicationId, guildId });
  }
  await db.commandPermission.deleteMany({ where });
  const memberships = await removeBot(call, write, applicationId, guildId);
  return { installationId: installation?.id ?? null, memberships };
}

/** @returns the number of removed memberships */
async function removeBot(call: CallContext, write: Write, botId: bigint, guildId: bigint): Promise<number> {
  const { db, record } = write;
  const isRemoved = await deleteMember(db, { guildId, userId: botId }, call.clock.now());
  await endVoice(write, { userId: botId, guildId });
  if (isRemoved) {
    record({ type: 'GUILD_MEMBER_REMOVE', guildId, user: await db.user.findUniqueOrThrow({ where: { id: botId } }) });
    record({ type: 'GUILD_LEFT', guildId, userId: botId });
  }
  await removeManagedRoles(write, botId, guildId);
  return isRemoved ? 1 : 0;
}

async function removeManagedRoles(write: Write, applicationId: bigint, guildId: bigint): Promise<void> {
  const { db, record } = write;
  const managed = { applicationId, managed: true, guildId };
  const roles = await db.role.findMany({ where: managed, select: { id: true, guildId: true } });
  await db.role.deleteMany({ where: managed });
  for (const role of roles) {
    record({ type: 'GUILD_ROLE_DELETE', guildId, roleId: role.id });
    await forgetRole(write, role);
  }
}
