import { chunksOf, yieldOnce } from '../../infra/concurrency/event-loop.js';
import { Prisma } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { type CommandScope, scopeIdOf, scopeOf } from './access.js';
import { type CommandColumns, changesBetween } from './columns.js';
import type { CommandRecord } from './record.js';

export function newCommand(call: CallContext, scope: CommandScope, columns: CommandColumns): CommandRecord {
  const { applicationId } = scope;
  return { id: call.nextId(), applicationId, scopeId: scopeIdOf(scope), version: call.nextId(), ...columns };
}

export function newVersion(call: CallContext, before: CommandRecord, columns: CommandColumns): CommandRecord {
  return { ...before, ...columns, version: call.nextId() };
}

/** Each command may be large. */
const COMMANDS_PER_STATEMENT = 20;

/** Replaces commands with the same id. Yields to the event loop between batches. */
export async function putCommands({ db }: Write, commands: readonly CommandRecord[]): Promise<void> {
  await db.applicationCommand.deleteMany({ where: { id: { in: commands.map(({ id }) => id) } } });
  for (const piece of chunksOf(commands, COMMANDS_PER_STATEMENT)) {
    await yieldOnce();
    await db.applicationCommand.createMany({ data: piece.map(rowOf) });
  }
}

function rowOf(command: CommandRecord): Prisma.ApplicationCommandCreateManyInput {
  const { nameLocalizations, descriptionLocalizations, options, integrationTypes, contexts, ...columns } = command;
  return {
    ...columns,
    nameLocalizations: jsonOrNull(nameLocalizations),
    descriptionLocalizations: jsonOrNull(descriptionLocalizations),
    options: asJson(options),
    integrationTypes,
    contexts: jsonOrNull(contexts),
  };
}

function jsonOrNull(value: object | null) {
  return value === null ? Prisma.DbNull : asJson(value);
}

/** Keeps the database client from traversing large JSON. */
function asJson(value: object): Prisma.InputJsonValue {
  return { toJSON: () => value };
}

export async function removeCommands(write: Write, commands: readonly CommandRecord[]): Promise<void> {
  const ids = commands.map(({ id }) => id);
  await dropPermissions(write, ids);
  await write.db.applicationCommand.deleteMany({ where: { id: { in: ids } } });
}

export async function dropPermissions({ db }: Write, commandIds: readonly bigint[]): Promise<void> {
  await db.commandPermission.deleteMany({ where: { commandId: { in: [...commandIds] } } });
}

export function placeOf({ applicationId, guildId }: CommandScope) {
  return { applicationId, ...(guildId === null ? {} : { guildId }) };
}

/** Without a change, keeps the version and writes nothing. A new name removes the command's permissions. */
export async function applyChange(
  call: CallContext,
  write: Write,
  before: CommandRecord,
  columns: CommandColumns,
): Promise<CommandRecord> {
  const fields = changesBetween(before, columns).map(({ field }) => field);
  if (fields.length === 0) return before;
  const after = newVersion(call, before, columns);
  const { id: targetId, name, type } = after;
  if (name !== before.name) await dropPermissions(write, [targetId]);
  await putCommands(write, [after]);
  const scope = scopeOf(after);
  await write.audit({ action: 'COMMAND_UPDATE', ...placeOf(scope), targetId, changes: { name, type, fields } });
  write.record({ type: 'COMMANDS_UPDATED', ...scope });
  return after;
}
