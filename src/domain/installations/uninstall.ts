import { yieldOnce } from '../../infra/concurrency/event-loop.js';
import type { Installation, Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { endUninstalled } from '../interactions/delivery/uninstalled.js';
import { deleteAllMemberships, deleteMember } from '../members/rows.js';
import { forgetRole } from '../roles/forget.js';
import { endVoice } from '../voice/leave.js';
import { deleteWebhooksIn } from '../webhooks/delete.js';
import { leaveBoxes } from './box-bots.js';
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
    if (removed.installationIds.length === 0) throw new DomainError('UNKNOWN_INSTALLATION');
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
    return removeFromGuilds(call, write, applicationId, guildId);
  };
  const streams = streamsOfInstallation(applicationId, guildId);
  const { installationIds } = await call.write(remove, { streams });
  return installationIds.length > 0;
}

async function removeFromUser(call: CallContext, installation: Installation): Promise<void> {
  const { id, applicationId, userId } = installation;
  if (userId !== requirePerson(call).user.id) throw new DomainError('UNKNOWN_INSTALLATION');
  const remove = async (write: Write) => {
    const count = await deleteInstallations(call, write, { applicationId, id });
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
  where: Prisma.InstallationWhereInput & { applicationId: bigint },
): Promise<number> {
  const { count } = await write.db.installation.deleteMany({ where });
  if (count > 0) await endUninstalled(call, write, where.applicationId);
  return count;
}

/** The bot's membership changes with it. */
export function streamsOfInstallation(applicationId: bigint, guildId: bigint): string[] {
  return [topics.application(applicationId), topics.guild(guildId), topics.user(applicationId)];
}

interface Removed {
  installationIds: bigint[];
  memberships: number;
}

/** As {@link removeFromGuilds}, but also writes to the guild's audit log. */
export async function removeFromGuild(
  call: CallContext,
  write: Write,
  applicationId: bigint,
  guildId: bigint,
): Promise<Removed> {
  await deleteWebhooksIn(call, write, { applicationId, guildId });
  const removed = await removeFromGuilds(call, write, applicationId, guildId);
  if (removed.installationIds.length === 0) return removed;
  const changes = auditedIntegration(await write.db.application.findUniqueOrThrow({ where: { id: applicationId } }));
  for (const targetId of removed.installationIds) {
    await write.audit({ action: 'INTEGRATION_DELETE', guildId, targetId, changes });
  }
  return removed;
}

const ENTRIES_PER_ROUND = 10;

/**
 * Removes an application's installation, bot, managed role and command permissions from a guild; from all guilds if
 * `guildId` is undefined. Missing parts are ignored. Jobs remove the bot from boxes. The transaction must
 * lock the streams of application and guild.
 */
export async function removeFromGuilds(
  call: CallContext,
  write: Write,
  applicationId: bigint,
  guildId?: bigint,
): Promise<Removed> {
  const { db, record, audit } = write;
  const ofApplication = { applicationId, guildId: guildId ?? { not: null } };
  const installations = await db.installation.findMany({ where: ofApplication, select: { id: true, guildId: true } });
  await deleteInstallations(call, write, ofApplication);
  for (const [index, { guildId }] of installations.entries()) {
    if (index % ENTRIES_PER_ROUND === 0) await yieldOnce();
    await audit({ action: 'INSTALLATION_DELETE', applicationId, targetId: applicationId, ...(guildId && { guildId }) });
  }
  await db.commandPermission.deleteMany({ where: { applicationId, guildId } });
  if (installations.length > 0) record({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
  await leaveBoxes(call, write, applicationId, installations);
  const memberships = await removeBot(call, write, applicationId, guildId);
  await removeManagedRoles(write, applicationId, guildId);
  return { installationIds: installations.map(({ id }) => id), memberships };
}

const ROLES_PER_ROUND = 10;

async function removeManagedRoles(write: Write, applicationId: bigint, guildId: bigint | undefined): Promise<void> {
  const { db, record } = write;
  const managed = { applicationId, managed: true, guildId };
  const roles = await db.role.findMany({ where: managed, select: { id: true, guildId: true } });
  await db.role.deleteMany({ where: managed });
  for (const [index, role] of roles.entries()) {
    if (index % ROLES_PER_ROUND === 0) await yieldOnce();
    record({ type: 'GUILD_ROLE_DELETE', guildId: role.guildId, roleId: role.id });
    await forgetRole(write, role);
  }
}

/** @returns the number of removed memberships */
async function removeBot(call: CallContext, write: Write, botId: bigint, guildId: bigint | undefined): Promise<number> {
  const { db, record } = write;
  const bot = await db.user.findUniqueOrThrow({ where: { id: botId } });
  const ofBot = { userId: botId, guildId };
  const memberships = await db.member.findMany({ where: ofBot, select: { guildId: true } });
  if (guildId === undefined) await deleteAllMemberships(db, botId);
  else await deleteMember(db, { guildId, userId: botId }, call.clock.now());
  await endVoice(write, { userId: botId, ...(guildId === undefined ? {} : { guildId }) });
  for (const { guildId } of memberships) {
    record({ type: 'GUILD_MEMBER_REMOVE', guildId, user: bot });
    record({ type: 'GUILD_LEFT', guildId, userId: botId });
  }
  return memberships.length;
}
