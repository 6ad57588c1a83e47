import { ApplicationCommandType as CommandType } from 'discord-api-types/v10';
import { DomainError } from '../errors.js';
import { limits } from '../limits.js';
import type { CommandBody } from './record.js';
import { jsonSizeOf, type Texts } from './size.js';

const PER_TYPE: readonly (readonly [CommandType, number])[] = [
  [CommandType.ChatInput, limits.chatInputCommands],
  [CommandType.User, limits.userCommands],
  [CommandType.Message, limits.messageCommands],
];

export const COMMANDS_PER_SCOPE = PER_TYPE.reduce((total, [, most]) => total + most, 0);

/** Checks their number and total size. @throws TOO_MANY_COMMANDS */
export function requireCapacity(commands: readonly Pick<CommandBody, 'type' | keyof Texts>[]): void {
  requireNumber(commands);
  requireSize(commands);
}

function requireSize(commands: readonly Texts[]): void {
  const most = limits.charactersPerCommandScope;
  let size = 0;
  for (const command of commands) size += jsonSizeOf(command);
  if (size <= most) return;
  throw new DomainError('TOO_MANY_COMMANDS', `Application commands exceed maximum size together (${most})`);
}

function requireNumber(commands: readonly { type: CommandType }[]): void {
  for (const [type, most] of PER_TYPE) {
    if (commands.filter((command) => command.type === type).length <= most) continue;
    throw new DomainError('TOO_MANY_COMMANDS', `Maximum number of application commands reached (${most})`);
  }
}
