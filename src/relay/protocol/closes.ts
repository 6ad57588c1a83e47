/** A close code (docs/relay.md, R-6) and a human-readable reason. */
export interface Close {
  code: number;
  reason: string;
}

export const closes = {
  goingAway: { code: 4000, reason: 'going away' },
  unusable: { code: 4002, reason: 'invalid message' },
  tooSlow: { code: 4003, reason: 'too much data is waiting for this end' },
  unavailable: { code: 4004, reason: 'cannot serve at the moment' },
  silent: { code: 4005, reason: 'the handshake timed out' },
  noVersion: { code: 4100, reason: 'no protocol version in common' },
  notAdmitted: { code: 4101, reason: 'not admitted' },
  deleted: { code: 4102, reason: 'the box was deleted' },
  replaced: { code: 4103, reason: 'another connection with this key is newer' },
  notOwnId: { code: 4104, reason: 'the box may not use this id' },
  otherOrigin: { code: 4105, reason: 'the cloud has another origin' },
} as const satisfies Record<string, Close>;

/** Shortens the reason, because a WebSocket close holds at most 123 bytes. */
export function because({ code }: Close, reason: string): Close {
  return {
    code,
    reason: Buffer.from(reason)
      .subarray(0, 120)
      .toString('utf8')
      .replace(/\uFFFD+$/, ''),
  };
}

/** Connecting again is useless until an operator acts. */
export function isPermanent(code: number): boolean {
  return code >= 4100 && code <= 4199;
}
