import { ApplicationCommandType as CommandType } from 'discord-api-types/v10';
import { DomainError } from '../errors.js';
import { limits } from '../limits.js';

/** How many commands of each type a scope may have. */
const PER_TYPE: readonly (readonly [CommandType, number])[] = [
  [CommandType.ChatInput, limits.chatInputCommands],
  [CommandType.User, limits.userCommands],
  [CommandType.Message, limits.messageCommands],
];

/** How many commands of all types a scope may have. */
export const COMMANDS_PER_SCOPE = PER_TYPE.reduce((total, [, most]) => total + most, 0);

/** Checks that a scope has room for these commands. @throws TOO_MANY_COMMANDS */
export function requireRoom(commands: readonly { type: CommandType }[]): void {
  for (const [type, most] of PER_TYPE) {
    if (commands.filter((command) => command.type === type).length <= most) continue;
    throw new DomainError('TOO_MANY_COMMANDS', `Maximum number of application commands reached (${most})`);
  }
}
