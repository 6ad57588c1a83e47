import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const CODE_LENGTH = 8;

/** With 62^8 possible codes, collisions are not expected. */
export function randomInviteCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

export function isInviteCode(text: string): boolean {
  return text.length === CODE_LENGTH && /^[A-Za-z0-9]+$/.test(text);
}
