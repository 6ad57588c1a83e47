import { createHmac } from 'node:crypto';
import type { Clock } from './clock.js';
import type { KeyRing } from './instance-keys.js';
import { isSameSignature } from './secrets.js';

const DAY_SECONDS = 86_400;

/** Signatures that let whoever has an address use it for a while, and nobody make one up (Discord's documentation, Message Resource). */
export interface AddressSignatures {
  /**
   * The query that signs `path`: `is` and `ex`, hex seconds since the Unix epoch between which it is good, and `hm`, the
   * HMAC-SHA256 over all three. The same all day (UTC).
   * @param days it is good until so many days after today began: for one to two days, unless stated
   */
  sign(path: string, days?: number): string;
  /** For how many more whole seconds `query` lets `path` be used: 0 when it does not sign it, or has expired. */
  secondsLeft(path: string, query: Readonly<Record<string, unknown>>): number;
}

export function createAddressSignatures(keys: KeyRing, clock: Clock): AddressSignatures {
  const seconds = () => Math.floor(clock.now() / 1000);
  const mac = (key: string, path: string, is: string, ex: string) =>
    createHmac('sha256', key).update(`${is}\n${ex}\n${path}`).digest('hex');
  return {
    sign(path, days = 2) {
      const today = seconds() - (seconds() % DAY_SECONDS);
      const is = today.toString(16);
      const ex = (today + days * DAY_SECONDS).toString(16);
      return `ex=${ex}&is=${is}&hm=${mac(keys[0], path, is, ex)}`;
    },
    secondsLeft(path, { ex, is, hm }) {
      if (typeof ex !== 'string' || typeof is !== 'string' || typeof hm !== 'string') return 0;
      const isOurs = keys.some((key) => isSameSignature(hm, mac(key, path, is, ex)));
      return isOurs ? Math.max(0, Math.floor(Number.parseInt(ex, 16) - clock.now() / 1000)) : 0;
    },
  };
}
