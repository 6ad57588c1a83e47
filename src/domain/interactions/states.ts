import type { Interaction, InteractionState } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids/ids.js';

/** Time for the first answer after the delivery. Also the limit of the whole HTTP request. */
export const ANSWER_WINDOW_MS = 3_000;

export const TOKEN_LIFETIME_MS = 15 * 60_000;

export const OPEN_STATES = ['DELIVERING', 'DELIVERED_HTTP', 'DELIVERED_GATEWAY'] as const satisfies InteractionState[];

type Timed = Pick<Interaction, 'state' | 'endsAt'>;

/** The stored state is outdated until its end is recorded. */
export function stateAt({ state, endsAt }: Timed, now: number): InteractionState {
  if (endsAt === null || endsAt.getTime() > now) return state;
  return stateAfter(state);
}

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

export function isOpen(interaction: Timed, now: number): boolean {
  return OPEN_STATES.some((state) => state === stateAt(interaction, now));
}

/** Whether follow-ups are allowed. */
export function isAcknowledged(interaction: Timed, now: number): boolean {
  const state = stateAt(interaction, now);
  return state === 'ANSWERED' || state === 'DEFERRED';
}

/** In milliseconds since the Unix epoch. */
export function tokenEnd(id: bigint): number {
  return snowflakeTime(id) + TOKEN_LIFETIME_MS;
}
