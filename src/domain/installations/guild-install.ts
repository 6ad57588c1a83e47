import type { Application, Installation, Transaction, User } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { GUILD_OPERATIONS } from '../guild-operations.js';
import { accessGuild, permissionsWithin, requirePermissions } from '../guilds/access.js';
import { becomeMember } from '../members/become.js';
import { parsePermissions, withImplied } from '../permissions.js';
import { insertRole } from '../roles/create.js';
import type { ServerInstall } from './input.js';
import { auditedIntegration } from './integration.js';
import { mailLostPermissions } from './mails.js';
import { putServerInstallation } from './rows.js';
import type { Scope } from './scopes.js';

/**
 * Returns the function that writes the installation. The installer needs only ManageGuild. The bot gets those requested
 * permissions that the installer or the bot has.
 * @throws FORBIDDEN if the application does not support guilds, and the errors of `accessGuild`. The returned function
 * throws MISSING_PERMISSIONS, LIMIT_EXCEEDED.
 */
export async function planGuildInstall(
  call: CallContext,
  application: Application,
  installer: User,
  guildId: bigint,
  { scopes, permissions }: ServerInstall,
): Promise<(write: Write) => Promise<Installation>> {
  await accessGuild(call, guildId, 'installApplication');
  if (!application.serverInstall) {
    throw new DomainError('FORBIDDEN', 'This application does not support server installs.');
  }
  const wanted = permissions ?? parsePermissions(application.serverInstallPermissions);
  return async (write) => {
    const install = { application, guildId, installerId: installer.id };
    return putInstallation(call, write, {
      ...install,
      scopes,
      permissions: await grantable(write.db, install, wanted, call.clock.now()),
    });
  };
}

interface GuildInstall {
  application: Application;
  guildId: bigint;
  installerId: bigint;
}

/**
 * @returns those of `wanted` that the installer or the bot's managed role has
 * @throws MISSING_PERMISSIONS
 */
async function grantable(
  db: Transaction,
  { application, guildId, installerId }: GuildInstall,
  wanted: bigint,
  now: number,
): Promise<bigint> {
  const held = await permissionsWithin(db, guildId, installerId, now);
  requirePermissions(held, GUILD_OPERATIONS.installApplication);
  const bot = { userId: application.id };
  const role = await db.role.findFirst({
    where: { guildId, applicationId: application.id, managed: true, members: { some: bot } },
    select: { permissions: true },
  });
  return wanted & (held | withImplied(role?.permissions ?? 0n));
}

interface BotGrant {
  application: Pick<Application, 'id' | 'name'>;
  guildId: bigint;
  permissions: bigint;
}

interface GrantedInstallation extends GuildInstall {
  scopes: Scope[];
  permissions: BotGrant['permissions'];
}

async function putInstallation(call: CallContext, write: Write, grant: GrantedInstallation): Promise<Installation> {
  const { application, guildId, installerId } = grant;
  const { db, audit, record } = write;
  const withBot = grant.scopes.includes('bot');
  const { installation, earlier, scopes } = await putServerInstallation(call, db, {
    applicationId: application.id,
    guildId,
    installerId,
    scopes: grant.scopes,
    permissions: withBot ? grant.permissions : null,
  });
  const before = withBot ? await addBot(call, write, grant) : null;
  if (!earlier) {
    const integration = { targetId: installation.id, changes: auditedIntegration(application) };
    await audit({ action: 'INTEGRATION_CREATE', guildId, ...integration });
  }
  record({ type: 'COMMAND_ACCESS_UPDATED', applicationId: application.id });
  const changes = {
    scopes,
    permissions: { old: before === null ? null : String(before), new: installation.permissions },
  };
  await audit({
    action: 'INSTALLATION_PUT',
    guildId,
    applicationId: application.id,
    targetId: installation.id,
    changes,
  });
  if (before !== null) await mailLostPermissions(call, write, grant, before & ~withImplied(grant.permissions));
  return installation;
}

/**
 * Gives the bot its managed role, and adds it as a member if necessary.
 * @returns the role's previous permissions; null if it is new
 */
export async function addBot(call: CallContext, write: Write, grant: BotGrant): Promise<bigint | null> {
  const { db, record, audit } = write;
  const { application, guildId } = grant;
  const { roleId, before } = await putManagedRole(call, write, grant);
  const botId = application.id;
  const key = { guildId_userId: { guildId, userId: botId } };
  if (await db.member.findUnique({ where: key, select: { userId: true } })) return before;
  await audit({ action: 'BOT_ADD', guildId, targetId: botId });
  await becomeMember(call, write, { guildId, userId: botId, roleIds: [roleId] });
  record({ type: 'GUILD_JOINED', guildId, userId: botId });
  return before;
}

async function putManagedRole(
  call: CallContext,
  write: Write,
  grant: BotGrant,
): Promise<{ roleId: bigint; before: bigint | null }> {
  const { db, record } = write;
  const { application, guildId, permissions } = grant;
  const role = await db.role.findFirst({ where: { guildId, applicationId: application.id, managed: true } });
  if (!role) {
    const { id } = await insertRole(write, {
      id: call.nextId(),
      guildId,
      name: application.name,
      permissions,
      managed: true,
      applicationId: application.id,
    });
    return { roleId: id, before: null };
  }
  if (role.permissions !== permissions) {
    record({
      type: 'GUILD_ROLE_UPDATE',
      role: await db.role.update({ where: { id: role.id }, data: { permissions } }),
    });
  }
  return { roleId: role.id, before: role.permissions };
}
