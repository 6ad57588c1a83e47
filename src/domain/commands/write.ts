import type { CallContext, Write } from '../call.js';
import { type CommandScope, scopeIdOf, scopeOf } from './access.js';
import { type CommandColumns, changedFields, dataOf } from './columns.js';
import { type CommandRecord, commandRecord } from './record.js';

/** Stores a new command. */
export async function insertCommand(
  call: CallContext,
  { db }: Write,
  scope: CommandScope,
  columns: CommandColumns,
): Promise<CommandRecord> {
  const { applicationId } = scope;
  const id = call.nextId();
  const data = { id, applicationId, scopeId: scopeIdOf(scope), version: call.nextId(), ...dataOf(columns) };
  return commandRecord(await db.applicationCommand.create({ data }));
}

/** Stores a command that has changed, under another version. One with another name loses its permissions. */
export async function changeCommand(
  call: CallContext,
  write: Write,
  before: CommandRecord,
  columns: CommandColumns,
): Promise<CommandRecord> {
  const { id } = before;
  if (columns.name !== before.name) await dropPermissions(write, [id]);
  const data = { ...dataOf(columns), version: call.nextId() };
  return commandRecord(await write.db.applicationCommand.update({ where: { id }, data }));
}

/** Removes commands with their permissions. */
export async function removeCommands(write: Write, commands: readonly CommandRecord[]): Promise<void> {
  const ids = commands.map(({ id }) => id);
  await dropPermissions(write, ids);
  await write.db.applicationCommand.deleteMany({ where: { id: { in: ids } } });
}

/** Removes all of what was granted and denied of commands, in whichever guild. */
export async function dropPermissions({ db }: Write, commandIds: readonly bigint[]): Promise<void> {
  await db.commandPermission.deleteMany({ where: { commandId: { in: [...commandIds] } } });
}

/** Where an audit entry says that it happened. */
export function placeOf({ applicationId, guildId }: CommandScope) {
  return { applicationId, ...(guildId === null ? {} : { guildId }) };
}

/** Makes a command what it is to be. One that is so already keeps its version, and nothing is written. */
export async function applyChange(
  call: CallContext,
  write: Write,
  before: CommandRecord,
  columns: CommandColumns,
): Promise<CommandRecord> {
  const fields = changedFields(before, columns);
  if (fields.length === 0) return before;
  const after = await changeCommand(call, write, before, columns);
  const { id: targetId, name, type } = after;
  const scope = scopeOf(after);
  await write.audit({ action: 'COMMAND_UPDATE', ...placeOf(scope), targetId, changes: { name, type, fields } });
  write.record({ type: 'COMMANDS_UPDATED', ...scope });
  return after;
}
