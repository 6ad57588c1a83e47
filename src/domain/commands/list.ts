import type { CallContext } from '../call.js';
import {
  accessCommand,
  accessCommands,
  type CommandKey,
  type CommandReader,
  type CommandScope,
  scopeIdOf,
} from './access.js';
import { type CommandRecord, commandRecord } from './record.js';

/** Oldest first. @throws the errors of `accessCommands` */
export async function listCommands(call: CallContext, scope: CommandScope): Promise<CommandRecord[]> {
  await accessCommands(call, scope, 'view');
  return commandsIn(call.read, scope);
}

/** Oldest first. Does not check access. */
export async function commandsIn(
  read: Pick<CommandReader, 'applicationCommand'>,
  scope: CommandScope,
): Promise<CommandRecord[]> {
  const where = { applicationId: scope.applicationId, scopeId: scopeIdOf(scope) };
  const rows = await read.applicationCommand.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(commandRecord);
}

/** @throws the errors of `accessCommand` */
export function getCommand(call: CallContext, key: CommandKey): Promise<CommandRecord> {
  return accessCommand(call, key, 'view');
}
