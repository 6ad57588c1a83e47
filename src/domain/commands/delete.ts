import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { accessCommand, type CommandKey, scopeOf } from './access.js';
import { placeOf, removeCommands } from './write.js';

/** Exactly one of several concurrent calls succeeds. @throws the errors of `accessCommand` */
export function deleteCommand(call: CallContext, key: CommandKey): Promise<void> {
  return call.write((write) => remove(call, write, key), { streams: [topics.application(key.applicationId)] });
}

async function remove(call: CallContext, write: Write, key: CommandKey): Promise<void> {
  const command = await accessCommand(call, key, 'manageCommands', write.db);
  const { id: targetId, name, type } = command;
  const scope = scopeOf(command);
  await removeCommands(write, [command]);
  await write.audit({ action: 'COMMAND_DELETE', ...placeOf(scope), targetId, changes: { name, type } });
  write.record({ type: 'COMMANDS_UPDATED', ...scope });
}
