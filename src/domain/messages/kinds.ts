import { MessageType } from 'discord-api-types/v10';
import { DomainError } from '../errors.js';

const SPOKEN: readonly number[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];

/** Whether somebody says something in messages of this kind; others say what happened by their kind alone. */
export function isSpoken(type: number): boolean {
  return SPOKEN.includes(type);
}

/** @throws SYSTEM_MESSAGE for a message in which nobody says anything: the platform's own, whoever is named as its author */
export function requireSpoken({ type }: { type: number }): void {
  if (!isSpoken(type)) throw new DomainError('SYSTEM_MESSAGE');
}
