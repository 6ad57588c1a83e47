import { GatewayOpcodes } from 'discord-api-types/v10';
import type { ConnectionFault, GatewayFault, PresetName, RestFault } from '../protocol.js';

type PresetRule = RestFault | GatewayFault;

interface Preset {
  /** Disturbs the connections of the bots at once. */
  now: ConnectionFault | null;
  rules: readonly PresetRule[];
}

/** The rules of each preset, in their order. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  flakyNetwork: {
    now: null,
    rules: [
      { route: '* /', probability: 0.1, effect: { type: 'reset' } },
      { route: '* /', probability: 0.05, effect: { type: 'cut' } },
      { route: '* /', probability: 0.2, effect: { type: 'delay', ms: 300 } },
      { event: '*', probability: 0.05, effect: { type: 'close', code: 4000 } },
    ],
  },
  rateLimited: {
    now: null,
    rules: [
      { route: '* /', every: 10, effect: { type: 'rateLimit', scope: 'global', retryAfterMs: 500 } },
      { route: '* /', every: 3, effect: { type: 'rateLimit', scope: 'user', retryAfterMs: 250 } },
    ],
  },
  rollingRestart: {
    now: { type: 'reconnect' },
    rules: [
      { event: '*', every: 20, effect: { type: 'reconnect' } },
      { opcode: GatewayOpcodes.Resume, every: 2, effect: { type: 'invalidSession', resumable: false } },
    ],
  },
  outage: {
    now: { type: 'close', code: 4000 },
    rules: [
      { route: '* /', effect: { type: 'status', status: 503 } },
      { opcode: GatewayOpcodes.Identify, effect: { type: 'close', code: 4000 } },
      { opcode: GatewayOpcodes.Resume, effect: { type: 'close', code: 4000 } },
    ],
  },
};

/** Rules with random numbers get seeds of their own, so that they do not fall due together. */
export function rulesOf(preset: PresetName, seed: number): PresetRule[] {
  return PRESETS[preset].rules.map((rule, index) =>
    'probability' in rule ? { ...rule, seed: seed * 100 + index } : rule,
  );
}
