import type { Application } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { GuildPlace } from '../channels/place.js';
import { type CommandRecord, commandRecord, GLOBAL_SCOPE } from '../commands/record.js';
import { DomainError, missingPermissions } from '../errors.js';
import { accessGuildChannel } from '../guilds/access.js';

/** A command that the caller may run in a channel, and by which installs. */
export interface RunnableCommand {
  command: CommandRecord;
  application: Application;
  place: GuildPlace;
  owners: { guildId?: bigint; userId?: bigint };
  /** Whether answers are seen by the caller alone. */
  ephemeralOnly: boolean;
}

/**
 * A command that the caller, who owns the server, may run in a channel.
 * @throws what `accessGuildChannel` throws, UNKNOWN_COMMAND, MISSING_PERMISSIONS
 */
export async function findRunnableCommand(
  call: CallContext,
  { channelId, commandId }: { channelId: bigint; commandId: bigint },
): Promise<RunnableCommand> {
  const place = await accessGuildChannel(call, channelId, 'viewChannel');
  const { guildId } = place;
  const row = await call.read.applicationCommand.findUnique({
    where: { id: commandId, scopeId: { in: [GLOBAL_SCOPE, guildId] } },
    include: { application: true },
  });
  if (!row) throw new DomainError('UNKNOWN_COMMAND');
  const view = await call.guilds.view(guildId);
  const isOwner = call.actor.kind === 'person' && call.actor.user.id === view?.ownerId;
  if (!isOwner) throw missingPermissions();
  const { application, ...command } = row;
  return { command: commandRecord(command), application, place, owners: { guildId }, ephemeralOnly: false };
}
