import type { InteractionRowFragment, InteractionState } from '../../../gql/types.js';

export const STATES: Record<InteractionState, { text: string; tone: '' | 'good' | 'warn' | 'bad' }> = {
  DELIVERING: { text: 'delivering', tone: '' },
  DELIVERED_HTTP: { text: 'waiting for endpoint', tone: '' },
  DELIVERED_GATEWAY: { text: 'waiting for bot', tone: '' },
  DEFERRED: { text: 'deferred', tone: 'warn' },
  ANSWERED: { text: 'answered', tone: 'good' },
  FAILED: { text: 'failed', tone: 'bad' },
  EXPIRED: { text: 'timed out', tone: 'bad' },
};

/** By interaction type. */
const TYPES: Record<number, string> = {
  2: 'Command',
  3: 'Component',
  4: 'Autocomplete',
  5: 'Modal',
};

export function typeText(type: number): string {
  return TYPES[type] ?? `Type ${type}`;
}

const KINDS: Record<string, string> = {
  HTTP: 'Sent to the endpoint',
  GATEWAY: 'Sent over the gateway',
  CALLBACK: 'Initial response',
  REFUSED: 'Response rejected',
  FOLLOW_UP: 'Follow-up message',
  EDIT: 'Message edited',
  DELETE: 'Message deleted',
  FAILED: 'Failed',
  EXPIRED: 'Timed out',
};

export function stepText(kind: string): string {
  return KINDS[kind] ?? kind;
}

export function isFault({ kind, reason }: { kind: string; reason: string | null }): boolean {
  return reason !== null || kind === 'FAILED' || kind === 'EXPIRED' || kind === 'REFUSED';
}

export function personText({ user }: Pick<InteractionRowFragment, 'user'>): string {
  return user.globalName ?? user.username;
}

/** Formats complete, compact JSON. Other bodies, such as truncated ones, stay unchanged. */
export function legible(body: string | null): string | null {
  if (body === null) return null;
  try {
    const json: unknown = JSON.parse(body);
    return JSON.stringify(json) === body ? JSON.stringify(json, null, 2) : body;
  } catch {
    return body;
  }
}
