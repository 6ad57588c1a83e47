import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { limits } from '../limits.js';
import { BY_TARGET, type CommandPermissions, permissionEntries } from './record.js';

/**
 * The list that says who may run a command of an application in a guild; empty where nothing is said.
 * @param input.commandId the application's list without it
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, UNKNOWN_INSTALLATION for an application that is not installed there, and what
 *   `accessGuild` throws
 */
export async function listCommandPermissions(
  call: CallContext,
  input: { guildId: bigint; applicationId: bigint; commandId?: bigint | undefined },
): Promise<CommandPermissions> {
  requirePerson(call);
  const { guildId, applicationId, commandId = applicationId } = input;
  await accessGuild(call, guildId, 'manageCommandPermissions');
  const where = { applicationId_guildId: { applicationId, guildId } };
  if (!(await call.read.installation.findUnique({ where, select: { id: true } }))) {
    throw new DomainError('UNKNOWN_INSTALLATION');
  }
  const rows = await call.read.commandPermission.findMany({
    where: { guildId, applicationId, commandId },
    orderBy: BY_TARGET,
    take: limits.permissionsPerCommand,
  });
  return { guildId, applicationId, commandId, entries: permissionEntries(rows) };
}
