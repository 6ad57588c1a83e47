import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const CODE_LENGTH = 8;

/** A new invite code. There are 62^8, so two that are alike are not to be expected. */
export function randomInviteCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** Whether `text` could be an invite's code. */
export function isInviteCode(text: string): boolean {
  return text.length === CODE_LENGTH && /^[A-Za-z0-9]+$/.test(text);
}
