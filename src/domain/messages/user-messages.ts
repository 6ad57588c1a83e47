import { MessageType } from 'discord-api-types/v10';
import { DomainError } from '../errors.js';

const USER_MESSAGES: readonly number[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];

/** False for a system message. */
export function isUserMessage(type: number): boolean {
  return USER_MESSAGES.includes(type);
}

/** @throws SYSTEM_MESSAGE */
export function requireUserMessage({ type }: { type: number }): void {
  if (!isUserMessage(type)) throw new DomainError('SYSTEM_MESSAGE');
}
