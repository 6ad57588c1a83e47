import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { intentBitsWithout, type PrivilegedIntent } from '../domain/applications/index.js';

const KNOWN_INTENTS = Object.values(Intent).reduce<number>(
  (all, bit) => (typeof bit === 'number' ? all | bit : all),
  0,
);

export function areIntents(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= KNOWN_INTENTS && (value & ~KNOWN_INTENTS) === 0;
}

export function asksTooMuch(intents: number, on: readonly PrivilegedIntent[]): boolean {
  return (intents & intentBitsWithout(on)) !== 0;
}
