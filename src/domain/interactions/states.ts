import type { Interaction, InteractionState } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids.js';

/** How long somebody has for a first answer once an interaction was delivered, in milliseconds; the endpoint has as long for all of it. */
export const ANSWER_WINDOW_MS = 3_000;

/** How long a token is good, in milliseconds. */
export const TOKEN_LIFETIME_MS = 15 * 60_000;

/** The states in which a first answer is waited for. */
export const OPEN_STATES = ['DELIVERING', 'DELIVERED_HTTP', 'DELIVERED_GATEWAY'] as const satisfies InteractionState[];

type Timed = Pick<Interaction, 'state' | 'endsAt'>;

/** The state as it is by now, whether or not somebody has noted that the stored one is over. */
export function stateAt({ state, endsAt }: Timed, now: number): InteractionState {
  if (endsAt === null || endsAt.getTime() > now) return state;
  return stateAfter(state);
}

/** What a state becomes when its time is over. */
export function stateAfter(state: InteractionState): InteractionState {
  switch (state) {
    case 'DELIVERING':
    case 'DELIVERED_HTTP':
    case 'DELIVERED_GATEWAY':
      return 'FAILED';
    case 'DEFERRED':
      return 'EXPIRED';
    case 'ANSWERED':
    case 'FAILED':
    case 'EXPIRED':
      return state;
  }
}

/** Whether a first answer may come. */
export function isOpen(interaction: Timed, now: number): boolean {
  return OPEN_STATES.some((state) => state === stateAt(interaction, now));
}

/** Whether it was answered, or is to be, so that more may follow. */
export function isAcknowledged(interaction: Timed, now: number): boolean {
  const state = stateAt(interaction, now);
  return state === 'ANSWERED' || state === 'DEFERRED';
}

/** When the token of an interaction is over, in milliseconds since the Unix epoch. */
export function tokenEnd(id: bigint): number {
  return snowflakeTime(id) + TOKEN_LIFETIME_MS;
}
