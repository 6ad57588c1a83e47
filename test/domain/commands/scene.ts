import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import { CommandPatch, CommandSet, NewCommand } from '../../../src/domain/commands/body.js';
import {
  type CommandKey,
  type CommandScope,
  createCommand,
  overwriteCommands,
  patched,
  updateCommand,
} from '../../../src/domain/commands/index.js';
import { parseInput, parseInTurns } from '../../../src/domain/parse-input.js';

type Body = Record<string, unknown>;

export const chat = (name: string, more: Body = {}): Body => ({ name, description: 'Does something', ...more });

export const register = async (call: CallContext, scope: CommandScope, body: Body) =>
  createCommand(call, scope, parseInput(NewCommand, body));

export const patch = async (call: CallContext, key: CommandKey, body: Body) =>
  updateCommand(call, key, (before) => parseInput(...patched(call, before, parseInput(CommandPatch, body))));

export const overwrite = async (call: CallContext, scope: CommandScope, set: Body[]) =>
  overwriteCommands(call, scope, await parseInTurns(CommandSet, set));

export async function namesIn(app: AppContext, { applicationId, guildId }: CommandScope): Promise<string[]> {
  const where = { applicationId, scopeId: guildId ?? 0n };
  const rows = await app.db.reader.applicationCommand.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(({ name }) => name);
}

/** Allows a user to run a command, directly in the database. */
export async function grant(
  app: AppContext,
  command: { id: bigint; applicationId: bigint },
  guildId: bigint,
): Promise<void> {
  const { id: commandId, applicationId } = command;
  const data = { guildId, applicationId, commandId, targetId: app.nextId(), targetType: 2, allow: true };
  await app.db.writer.commandPermission.create({ data });
}

export const grantsOf = (app: AppContext, { id }: { id: bigint }): Promise<number> =>
  app.db.reader.commandPermission.count({ where: { commandId: id } });
