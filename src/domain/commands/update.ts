import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessCommand, accessCommands, type CommandKey, scopeOf } from './access.js';
import { requireCapacity } from './capacity.js';
import { type CommandColumns, columnsOf } from './columns.js';
import { commandsIn } from './list.js';
import type { CommandBody, CommandRecord } from './record.js';
import { applyChange } from './write.js';

/** Depends on the old command, because most rules depend on its type. May run again. */
export type CommandChange = (before: CommandRecord) => CommandBody;

/**
 * The type stays. A new name removes the command's permissions.
 * @throws the errors of `accessCommand` and `change`, COMMAND_NAME_TAKEN, TOO_MANY_COMMANDS
 */
export function updateCommand(call: CallContext, key: CommandKey, change: CommandChange): Promise<CommandRecord> {
  return call.write((write) => changeWithin(call, write, key, change), {
    streams: [topics.application(key.applicationId)],
  });
}

async function changeWithin(
  call: CallContext,
  write: Write,
  key: CommandKey,
  change: CommandChange,
): Promise<CommandRecord> {
  const before = await accessCommand(call, key, 'manageCommands', write.db);
  const scope = scopeOf(before);
  const application = await accessCommands(call, scope, 'manageCommands', write.db);
  const columns = columnsOf(change(before), application, scope.guildId);
  await requireFreeName(write, before, columns);
  const others = (await commandsIn(write.db, scope)).filter(({ id }) => id !== before.id);
  requireCapacity([...others, columns]);
  return applyChange(call, write, before, columns);
}

async function requireFreeName({ db }: Write, before: CommandRecord, { name }: CommandColumns): Promise<void> {
  if (name === before.name) return;
  const { applicationId, scopeId, type } = before;
  const key = { applicationId_scopeId_type_name: { applicationId, scopeId, type, name } };
  if (!(await db.applicationCommand.findUnique({ where: key, select: { id: true } }))) return;
  throw new DomainError('COMMAND_NAME_TAKEN', 'An application command with that name already exists');
}
