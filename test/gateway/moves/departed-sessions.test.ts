import { expect, it } from 'vitest';
import { DepartedSessions } from '../../../src/gateway/moves/departed-sessions.js';
import { ManualClock } from '../../harness/clock.js';

it('a session that leaves again is remembered for 10 s from then', () => {
  const clock = new ManualClock();
  const departed = new DepartedSessions(clock);
  departed.add('session');
  departed.add('session', 'move');
  departed.forgetAllOf('move');
  clock.advance(9_000);
  departed.add('session');
  clock.advance(9_999);
  expect(departed.has('session')).toBe(true);
  clock.advance(1);
  expect(departed.has('session')).toBe(false);
});
