import type { Application, Installation, Reader, User } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { parsePermissions } from '../permissions.js';
import { addSettlement } from './box-bots.js';
import type { ServerInstall } from './input.js';
import { putServerInstallation } from './rows.js';
import type { Scope } from './scopes.js';

/** What is installed on a box, by whom. */
interface BoxInstall {
  application: Application;
  guildId: bigint;
  installerId: bigint;
  scopes: Scope[];
  permissions: bigint;
}

/**
 * Installs an application's bot to a guild on a box, which makes it a member at once and keeps its membership and its managed role; the
 * returned step writes the cloud's row. The box is asked once more after that, so that the two agree whatever others did meanwhile ({@link addSettlement}).
 *
 * Only who owns the box may; of its guilds, they own what there is to own as far as the cloud knows, so that the bot gets all permissions
 * that are asked for. Commands do not run there, so that nothing is installed without the bot (decisions 269, 270).
 * @throws UNKNOWN_GUILD for anybody but the box's owner, FORBIDDEN when the application does not install to guilds, INVALID_INPUT without the
 *   scope `bot`, GuildUnavailable while the box is away, BoxRefused such as for a bot that is banned there; UNKNOWN_GUILD when it is written and the guild is gone by then
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
    throw new DomainError('FORBIDDEN', 'This application cannot be installed to servers.');
  }
  if (!scopes.includes('bot')) {
    throw invalidInput({
      path: 'scopes',
      code: 'BASE_TYPE_REQUIRED',
      message: 'Commands do not work on self-hosted servers: add the bot there, or nothing.',
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

/** @returns the box that a guild is on @throws UNKNOWN_GUILD unless the user owns that box */
async function requireOwnBoxGuild(db: Pick<Reader, 'boxGuild'>, guildId: bigint, userId: bigint): Promise<bigint> {
  const where = { id: guildId, box: { ownerId: userId } };
  const guild = await db.boxGuild.findFirst({ where, select: { boxId: true } });
  if (!guild) throw new DomainError('UNKNOWN_GUILD');
  return guild.boxId;
}

/** The log of the guild is the box's: the application's alone tells of it here. */
async function putInstallation(call: CallContext, write: Write, install: BoxInstall): Promise<Installation> {
  const { db, audit, record } = write;
  const { application, ...grant } = install;
  const { guildId } = grant;
  const put = await putServerInstallation(call, db, { applicationId: application.id, ...grant });
  const { installation, earlier, scopes } = put;
  await addSettlement(write, { guildId, botId: application.id }, call.clock.now());
  // The box tells of the member, too, and perhaps later than the bot's sessions are shown the guild.
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
