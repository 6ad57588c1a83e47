import type { Application, Installation, Reader, User } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { parsePermissions } from '../permissions.js';
import { addSettlement } from './box-bots.js';
import type { ServerInstall } from './input.js';
import { putServerInstallation } from './rows.js';
import type { Scope } from './scopes.js';

interface BoxInstall {
  application: Application;
  guildId: bigint;
  installerId: bigint;
  scopes: Scope[];
  permissions: bigint;
}

/**
 * Adds the bot on the box, and returns the function that writes the cloud's row. That function also schedules
 * {@link addSettlement} to resolve concurrent changes. The box's owner installs, so the bot gets all requested
 * permissions. The scope `bot` is required, because commands do not run on boxes.
 * @throws UNKNOWN_GUILD if the caller does not own the box, FORBIDDEN if the application does not support guilds,
 * INVALID_INPUT without the scope `bot`, GuildUnavailable, BoxRefused. The returned function throws UNKNOWN_GUILD.
 */
export async function planBoxInstall(
  call: CallContext,
  application: Application,
  installer: User,
  guildId: bigint,
  { scopes, permissions: wanted }: ServerInstall,
): Promise<(write: Write) => Promise<Installation>> {
  const boxId = await requireOwnBoxGuild(call.read, guildId, installer.id);
  if (!application.serverInstall) {
    throw new DomainError('FORBIDDEN', 'This application does not support server installs.');
  }
  if (!scopes.includes('bot')) {
    throw invalidInput({
      path: 'scopes',
      code: 'BASE_TYPE_REQUIRED',
      message: 'Commands are not available on self-hosted servers. Include the bot scope.',
    });
  }
  const permissions = wanted ?? parsePermissions(application.serverInstallPermissions);
  const bot = await call.read.user.findUniqueOrThrow({ where: { id: application.id } });
  await call.boxes.ask(boxId, 'install_bot', {
    guild_id: String(guildId),
    bot,
    name: application.name,
    permissions: String(permissions),
  });
  return async (write) => {
    await requireOwnBoxGuild(write.db, guildId, installer.id);
    return putInstallation(call, write, { application, guildId, installerId: installer.id, scopes, permissions });
  };
}

/**
 * @returns the id of the guild's box
 * @throws UNKNOWN_GUILD unless the user owns that box
 */
async function requireOwnBoxGuild(db: Pick<Reader, 'boxGuild'>, guildId: bigint, userId: bigint): Promise<bigint> {
  const where = { id: guildId, box: { ownerId: userId } };
  const guild = await db.boxGuild.findFirst({ where, select: { boxId: true } });
  if (!guild) throw new DomainError('UNKNOWN_GUILD');
  return guild.boxId;
}

/** Writes no guild audit log, because the box keeps it. */
async function putInstallation(call: CallContext, write: Write, install: BoxInstall): Promise<Installation> {
  const { db, audit, record } = write;
  const { application, ...grant } = install;
  const { guildId } = grant;
  const put = await putServerInstallation(call, db, { applicationId: application.id, ...grant });
  const { installation, earlier, scopes } = put;
  await addSettlement(write, { guildId, botId: application.id }, call.clock.now());
  // The box reports the member too, but the bot's sessions may receive the guild earlier.
  record({ type: 'MEMBERSHIP_UPDATED', guildId, userId: application.id });
  if (!earlier) record({ type: 'GUILD_JOINED', guildId, userId: application.id });
  record({ type: 'COMMAND_ACCESS_UPDATED', applicationId: application.id });
  await audit({
    action: 'INSTALLATION_PUT',
    guildId,
    applicationId: application.id,
    targetId: installation.id,
    changes: { scopes, permissions: { old: earlier?.permissions ?? null, new: installation.permissions } },
  });
  return installation;
}
