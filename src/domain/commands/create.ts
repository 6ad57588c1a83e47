import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { accessCommands, type CommandScope } from './access.js';
import { requireCapacity } from './capacity.js';
import { type CommandColumns, columnsOf } from './columns.js';
import { commandsIn } from './list.js';
import { takeCreates } from './quota.js';
import type { CommandBody, CommandRecord } from './record.js';
import { applyChange, newCommand, placeOf, putCommands } from './write.js';

export interface RegisteredCommand {
  command: CommandRecord;
  /** False if a command of the same type and name was replaced. */
  isNew: boolean;
}

/**
 * Replaces a command of the same type and name, and keeps its id (Discord's documentation, Application Commands).
 * @throws the errors of `accessCommands`, TOO_MANY_COMMANDS, TOO_MANY_COMMAND_CREATES
 */
export function createCommand(call: CallContext, scope: CommandScope, body: CommandBody): Promise<RegisteredCommand> {
  return call.write((write) => putCommand(call, write, scope, body), {
    streams: [topics.application(scope.applicationId)],
  });
}

async function putCommand(
  call: CallContext,
  write: Write,
  scope: CommandScope,
  body: CommandBody,
): Promise<RegisteredCommand> {
  const application = await accessCommands(call, scope, 'manageCommands', write.db);
  const columns = columnsOf(body, application, scope.guildId);
  const present = await commandsIn(write.db, scope);
  const same = present.find(({ type, name }) => type === body.type && name === body.name);
  requireCapacity([...present.filter((command) => command !== same), body]);
  if (same) return { command: await applyChange(call, write, same, columns), isNew: false };
  await takeCreates(call, write.db, scope, 1);
  return { command: await addCommand(call, write, scope, columns), isNew: true };
}

async function addCommand(
  call: CallContext,
  write: Write,
  scope: CommandScope,
  columns: CommandColumns,
): Promise<CommandRecord> {
  const command = newCommand(call, scope, columns);
  await putCommands(write, [command]);
  const { name, type } = command;
  await write.audit({ action: 'COMMAND_CREATE', ...placeOf(scope), targetId: command.id, changes: { name, type } });
  write.record({ type: 'COMMANDS_UPDATED', ...scope });
  return command;
}
