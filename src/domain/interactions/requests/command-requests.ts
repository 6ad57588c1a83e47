import { ApplicationCommandType, InteractionType } from 'discord-api-types/v10';
import type { CallContext } from '../../call.js';
import { findRunnableCommand, type RunnableCommand } from '../../command-permissions/runnable.js';
import { type CommandRecord, GLOBAL_SCOPE } from '../../commands/record.js';
import { type FieldFault, invalidInput } from '../../errors.js';
import { allotFileIds, checkTaken, countOfFiles, type GivenFiles, showFiles } from './given-files.js';
import type { InvokedOption } from './input.js';
import { loadInteractionContext } from './interaction-context.js';
import { findMessageFor } from './messages.js';
import { nameOfChosen, type OptionsRead, readOptions } from './options.js';
import { REQUIRED, requireFaultless } from './reading.js';
import type { CommandData, InteractionRequest } from './request.js';

interface TypedCommand {
  channelId: bigint;
  commandId: bigint;
  /** The version that the caller saw. If undefined, any is accepted. */
  version?: bigint | undefined;
  options: readonly InvokedOption[];
}

export interface InvokedCommand extends TypedCommand {
  /** Target user or message of a context menu command. */
  targetId?: bigint | undefined;
  files?: GivenFiles | undefined;
}

/**
 * @throws INVALID_INPUT (at `version`, `options`, `targetId`, `files`), TOO_MANY_ATTACHMENTS, FILE_TOO_LARGE,
 * REQUEST_TOO_LARGE, and the errors of `findRunnableCommand`
 */
export async function commandRequest(call: CallContext, input: InvokedCommand): Promise<InteractionRequest> {
  const runnable = await findAsShown(call, input);
  switch (runnable.command.type) {
    case ApplicationCommandType.ChatInput:
      return slashRequest(call, runnable, input);
    case ApplicationCommandType.User:
      return userRequest(call, runnable, input);
    case ApplicationCommandType.Message:
      return messageRequest(call, runnable, input);
  }
}

/** @throws INVALID_INPUT (at `version`, `options`), and the errors of `findRunnableCommand` */
export async function autocompleteRequest(call: CallContext, input: TypedCommand): Promise<InteractionRequest> {
  const runnable = await findAsShown(call, input);
  const read = readOptions(runnable.command.options, input.options, 'complete');
  requireFaultless(read);
  const context = await loadInteractionContext(call, { ...runnable, wanted: read.wanted });
  return { ...context, ...ofSlash(runnable.command, read), type: InteractionType.ApplicationCommandAutocomplete };
}

/** @throws INVALID_INPUT if the command has changed, and the errors of `findRunnableCommand` */
async function findAsShown(call: CallContext, input: TypedCommand): Promise<RunnableCommand> {
  const runnable = await findRunnableCommand(call, input);
  const { version = runnable.command.version } = input;
  if (version !== runnable.command.version) throw invalidInput({ path: 'version', ...OUTDATED });
  return runnable;
}

const OUTDATED: Omit<FieldFault, 'path'> = {
  code: 'INTERACTION_APPLICATION_COMMAND_INVALID_VERSION',
  message: 'This command is outdated, please try again in a few minutes',
};

type Given = Pick<InvokedCommand, 'options' | 'targetId' | 'files'>;

async function slashRequest(
  call: CallContext,
  runnable: RunnableCommand,
  { options, targetId, files = [] }: Given,
): Promise<InteractionRequest> {
  const read = readOptions(runnable.command.options, options, 'run', allotFileIds(call, files));
  checkTaken(read);
  if (targetId !== undefined) {
    read.faults.push({ path: 'targetId', ...refused('Slash commands do not take a target.') });
  }
  requireFaultless(read);
  const circumstances = await loadInteractionContext(call, { ...runnable, wanted: read.wanted });
  return {
    ...circumstances,
    ...ofSlash(runnable.command, read),
    resolved: { ...circumstances.resolved, files: showFiles(read, files) },
    type: InteractionType.ApplicationCommand,
  };
}

async function userRequest(call: CallContext, runnable: RunnableCommand, input: Given): Promise<InteractionRequest> {
  const id = requireTarget(input);
  const wanted = [{ kind: 'user', id, path: 'targetId' } as const];
  const circumstances = await loadInteractionContext(call, { ...runnable, wanted });
  return { ...circumstances, ...ofTarget(runnable.command, id), type: InteractionType.ApplicationCommand };
}

async function messageRequest(call: CallContext, runnable: RunnableCommand, input: Given): Promise<InteractionRequest> {
  const id = requireTarget(input);
  const message = await findMessageFor(call, runnable, id);
  if (!message) throw invalidInput({ path: 'targetId', code: 'UNKNOWN_MESSAGE', message: 'Unknown Message' });
  const circumstances = await loadInteractionContext(call, { ...runnable, wanted: [] });
  return {
    ...circumstances,
    ...ofTarget(runnable.command, id),
    resolved: { ...circumstances.resolved, messages: [message] },
    type: InteractionType.ApplicationCommand,
  };
}

/** @throws INVALID_INPUT without a target, or with options or files */
function requireTarget({ options, targetId, files = 0 }: Given): bigint {
  const faults = [
    ...(options.length > 0 ? [{ path: 'options', ...refused('Context menu commands do not take options.') }] : []),
    ...(countOfFiles(files) > 0 ? [{ path: 'files', ...refused('Context menu commands do not take files.') }] : []),
    ...(targetId === undefined ? [{ path: 'targetId', ...REQUIRED }] : []),
  ];
  if (targetId === undefined || faults.length > 0) throw invalidInput(...faults);
  return targetId;
}

function refused(message: string): Omit<FieldFault, 'path'> {
  return { code: 'BASE_TYPE_INVALID', message };
}

const OF_COMMAND = { message: null, parentId: null } as const;

function ofSlash(command: CommandRecord, { options }: OptionsRead) {
  const data = { ...dataOf(command), ...(options.length === 0 ? {} : { options }) };
  return { ...OF_COMMAND, commandId: command.id, name: nameOfChosen(command.name, options), data };
}

function ofTarget(command: CommandRecord, targetId: bigint) {
  const data = { ...dataOf(command), target_id: String(targetId) };
  return { ...OF_COMMAND, commandId: command.id, name: command.name, data };
}

function dataOf({ id, name, type, scopeId }: CommandRecord): CommandData {
  const guild = scopeId === GLOBAL_SCOPE ? {} : { guild_id: String(scopeId) };
  return { id: String(id), name, type, ...guild };
}
