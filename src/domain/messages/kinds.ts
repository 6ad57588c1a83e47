import { MessageType } from 'discord-api-types/v10';
import { DomainError } from '../errors.js';

const SPOKEN: readonly number[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];

/** Whether a user wrote the message, as opposed to a system message. */
export function isSpoken(type: number): boolean {
  return SPOKEN.includes(type);
}

/** @throws SYSTEM_MESSAGE */
export function requireSpoken({ type }: { type: number }): void {
  if (!isSpoken(type)) throw new DomainError('SYSTEM_MESSAGE');
}
