import type { FaultSeed, PresetName } from '../../src/sandbox/protocol.js';

/** With their labels. */
export const PRESETS: Readonly<Record<PresetName, string>> = {
  flakyNetwork: 'Flaky network',
  rateLimited: 'Rate limited',
  rollingRestart: 'Rolling restart',
  outage: 'Outage',
};

const MESSAGES = 'POST /channels/:id/messages';

/** Common faults, to start a rule from. */
export const EXAMPLES: readonly [name: string, rule: FaultSeed][] = [
  [
    'Replies to commands fail with 502',
    { route: 'POST /interactions/:id/:token/callback', effect: { type: 'status', status: 502 } },
  ],
  ['Sending messages fails with 502', { route: MESSAGES, effect: { type: 'status', status: 502 } }],
  [
    'The next message is rate limited',
    { route: MESSAGES, nth: 1, effect: { type: 'rateLimit', scope: 'user', retryAfterMs: 2_000 } },
  ],
  ['Every request takes 1 s longer', { route: '* /', effect: { type: 'delay', ms: 1_000 } }],
  ['Every third request breaks', { route: '* /', every: 3, effect: { type: 'reset' } }],
  ['Every second MESSAGE_CREATE is lost', { event: 'MESSAGE_CREATE', every: 2, effect: { type: 'drop' } }],
  ['Interactions arrive twice', { event: 'INTERACTION_CREATE', effect: { type: 'duplicate' } }],
  ['Heartbeats are not acknowledged', { opcode: 11, effect: { type: 'drop' } }],
  ['Sessions cannot be resumed', { opcode: 6, effect: { type: 'invalidSession', resumable: false } }],
  ['The endpoint gets bad signatures', { endpoint: true, effect: { type: 'badSignature' } }],
  ['The box is offline', { box: true, effect: { type: 'offline' } }],
  ['The box loses the next answer', { box: true, nth: 1, effect: { type: 'answerLost' } }],
];

/** Such as `POST /channels/:id/messages, nth 1 → status 502`. */
export function textOf({ effect: { type, ...how }, ...when }: FaultSeed): string {
  // The subject of a rule comes before its occasion.
  const parts = Object.entries(when).sort(([a], [b]) => Number(SUBJECTS.includes(b)) - Number(SUBJECTS.includes(a)));
  return `${parts.map(inWords).join(', ')} → ${[type, ...Object.entries(how).map(inWords)].join(' ')}`;
}

const SUBJECTS = ['route', 'event', 'opcode', 'endpoint', 'guild', 'identify', 'box'];

/** Names that say nothing more than their values. */
const PLAIN = ['route', 'event', 'status'];

function inWords([name, value]: [string, unknown]): string {
  if (value === true) return name;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return PLAIN.includes(name) ? text : `${name} ${text}`;
}
