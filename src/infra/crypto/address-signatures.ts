import { createHmac } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { KeyRing } from './instance-keys.js';
import { isSameSignature } from './secrets.js';

const DAY_SECONDS = 86_400;

/** Signs URLs for a limited time (Discord's documentation, Message Resource). */
export interface AddressSignatures {
  /**
   * Returns the query that signs `path`. `is` and `ex` are the start and end of its validity, in hex seconds since the
   * Unix epoch. `hm` is the HMAC-SHA256 over both and `path`. The result is the same all day (UTC).
   * @param days validity from the start of today. The default of 2 gives one to two days.
   */
  sign(path: string, days?: number): string;
  /** As {@link sign}, but valid for `seconds` from now. The result changes every second. */
  signFor(path: string, seconds: number): string;
  /** Whole seconds for which `query` still permits `path`; 0 if the signature is wrong or expired. */
  secondsLeft(path: string, query: Readonly<Record<string, unknown>>): number;
}

export function createAddressSignatures(keys: KeyRing, clock: Clock): AddressSignatures {
  const seconds = () => Math.floor(clock.now() / 1000);
  const mac = (key: string, path: string, is: string, ex: string) =>
    createHmac('sha256', key).update(`${is}\n${ex}\n${path}`).digest('hex');
  const signed = (path: string, start: number, end: number) => {
    const [is, ex] = [start.toString(16), end.toString(16)];
    return `ex=${ex}&is=${is}&hm=${mac(keys[0], path, is, ex)}`;
  };
  return {
    sign(path, days = 2) {
      const today = seconds() - (seconds() % DAY_SECONDS);
      return signed(path, today, today + days * DAY_SECONDS);
    },
    signFor(path, validSeconds) {
      const start = seconds();
      return signed(path, start, start + validSeconds);
    },
    secondsLeft(path, { ex, is, hm }) {
      if (typeof ex !== 'string' || typeof is !== 'string' || typeof hm !== 'string') return 0;
      const isOurs = keys.some((key) => isSameSignature(hm, mac(key, path, is, ex)));
      return isOurs ? Math.max(0, Math.floor(Number.parseInt(ex, 16) - clock.now() / 1000)) : 0;
    },
  };
}
