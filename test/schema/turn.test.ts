import { describe, expect, it } from 'vitest';
import { Turn } from '../../src/schema/turn.js';

describe('the turn of a stream', () => {
  it('is released once, when it ends', () => {
    const turn = new Turn();
    let given = 0;
    turn.begin(() => given++);
    expect(given).toBe(0);
    turn.end();
    turn.end();
    expect(given).toBe(1);
  });

  it('is released at once if the stream is closed', () => {
    const turn = new Turn();
    const given: string[] = [];
    turn.begin(() => given.push('held'));
    turn.close();
    expect(turn.isClosed).toBe(true);
    turn.begin(() => given.push('late'));
    expect(given).toEqual(['held', 'late']);
  });
});
