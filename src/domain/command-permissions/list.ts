import { type CallContext, requirePerson } from '../call.js';
import { type CommandRecord, commandRecord, GLOBAL_SCOPE } from '../commands/record.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { limits } from '../limits.js';
import { BY_TARGET, type CommandPermissions, type PermissionEntry, permissionEntries } from './record.js';

/**
 * @param input.commandId absent for the application's list
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, UNKNOWN_INSTALLATION, and the errors of `accessGuild`
 */
export async function listCommandPermissions(
  call: CallContext,
  input: { guildId: bigint; applicationId: bigint; commandId?: bigint | undefined },
): Promise<CommandPermissions> {
  const { guildId, applicationId, commandId = applicationId } = input;
  await accessLists(call, { guildId, applicationId });
  const rows = await call.read.commandPermission.findMany({
    where: { guildId, applicationId, commandId },
    orderBy: BY_TARGET,
    take: limits.permissionsPerCommand,
  });
  return { guildId, applicationId, commandId, entries: permissionEntries(rows) };
}

export interface CommandAccess {
  /** Null for the application's list, which applies to commands without a list of their own. */
  command: CommandRecord | null;
  entries: PermissionEntry[];
  /** The command's own list, else the application's. */
  effective: PermissionEntry[];
}

/**
 * The application's list first, then each command that can run in the guild.
 * @throws the errors of {@link listCommandPermissions}
 */
export async function listCommandAccess(
  call: CallContext,
  { guildId, applicationId }: { guildId: bigint; applicationId: bigint },
): Promise<CommandAccess[]> {
  await accessLists(call, { guildId, applicationId });
  const scopeId = { in: [GLOBAL_SCOPE, guildId] };
  const [commands, rows] = await Promise.all([
    call.read.applicationCommand.findMany({ where: { applicationId, scopeId }, orderBy: { id: 'asc' } }),
    call.read.commandPermission.findMany({ where: { guildId, applicationId }, orderBy: BY_TARGET }),
  ]);
  const entriesOf = (id: bigint) => permissionEntries(rows.filter(({ commandId }) => commandId === id));
  const common = entriesOf(applicationId);
  const ofCommands = commands.map((row) => {
    const entries = entriesOf(row.id);
    return { command: commandRecord(row), entries, effective: entries.length > 0 ? entries : common };
  });
  return [{ command: null, entries: common, effective: common }, ...ofCommands];
}

async function accessLists(
  call: CallContext,
  { guildId, applicationId }: { guildId: bigint; applicationId: bigint },
): Promise<void> {
  requirePerson(call);
  await accessGuild(call, guildId, 'manageCommandPermissions');
  const where = { applicationId_guildId: { applicationId, guildId } };
  if (!(await call.read.installation.findUnique({ where, select: { id: true } }))) {
    throw new DomainError('UNKNOWN_INSTALLATION');
  }
}
