import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAcknowledged, isOpen, OPEN_STATES, stateAt, tokenEnd } from '../../../src/domain/interactions/states.js';
import type { InteractionState } from '../../../src/infra/database/index.js';
import { snowflakeAt } from '../../../src/infra/ids/ids.js';

const NOW = Date.UTC(2026, 0, 1);
const FINAL = ['ANSWERED', 'FAILED', 'EXPIRED'] as const;
const STATES = [...OPEN_STATES, 'DEFERRED', ...FINAL] as const;
const at = (ms: number) => new Date(NOW + ms);

describe('the state of an interaction', () => {
  it.each(STATES)('I-6: %s does not change before its time is over', (state) => {
    expect(stateAt({ state, endsAt: at(1) }, NOW)).toBe(state);
    expect(stateAt({ state, endsAt: null }, NOW)).toBe(state);
  });

  it.each([
    ['DELIVERING', 'FAILED'],
    ['DELIVERED_HTTP', 'FAILED'],
    ['DELIVERED_GATEWAY', 'FAILED'],
    ['DEFERRED', 'EXPIRED'],
    ['ANSWERED', 'ANSWERED'],
    ['FAILED', 'FAILED'],
    ['EXPIRED', 'EXPIRED'],
  ] as [InteractionState, InteractionState][])('I-6: %s counts as %s as soon as its time is over', (state, after) => {
    expect(stateAt({ state, endsAt: at(0) }, NOW)).toBe(after);
  });

  it('I-5: either a first response or a later one is allowed, never both', () => {
    const timed = fc.record({
      state: fc.constantFrom(...STATES),
      endsAt: fc.option(fc.integer({ min: -2, max: 2 }).map(at)),
    });
    fc.assert(
      fc.property(timed, (interaction) => {
        const state = stateAt(interaction, NOW);
        expect(isOpen(interaction, NOW)).toBe(OPEN_STATES.some((open) => open === state));
        expect(isAcknowledged(interaction, NOW)).toBe(state === 'ANSWERED' || state === 'DEFERRED');
        expect(isOpen(interaction, NOW) && isAcknowledged(interaction, NOW)).toBe(false);
      }),
    );
  });

  it('I-7: the token expires 15 minutes after the creation of the interaction', () => {
    expect(tokenEnd(snowflakeAt(NOW))).toBe(NOW + 15 * 60_000);
  });
});
