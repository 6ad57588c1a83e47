import { array, assert, asyncProperty, boolean, constantFrom, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Outcome, Results } from '../../../src/relay/box/results.js';
import { ManualClock } from '../../harness/clock.js';

const result = (text: string) => ({ status: 200, headers: {}, body: Buffer.from(text) });
const done = (text: string): Outcome => ({ begun: true, result: result(text) });
const NOT_BEGUN: Outcome = { begun: false, result: null };

describe('R-25: results', () => {
  it('are kept for 60 s after the end and no longer', async () => {
    const clock = new ManualClock();
    const results = new Results(clock);
    const first = await results.once('k', async () => done('one'));
    clock.advance(59_999);
    expect(await results.once('k', async () => done('two'))).toBe(first);
    clock.advance(1);
    expect(await results.once('k', async () => done('two'))).toEqual(done('two'));
  });

  it('are dropped, the oldest first, if they take too much space', async () => {
    const results = new Results(new ManualClock(), 2_000);
    for (const key of ['a', 'b', 'c']) await results.once(key, async () => done('x'.repeat(400)));
    expect(await results.once('c', async () => done('again'))).toEqual(done('x'.repeat(400)));
    expect(await results.once('a', async () => done('again'))).toEqual(done('again'));
  });

  it('that are dropped early leave no timer behind', async () => {
    const clock = new ManualClock();
    const results = new Results(clock, 2_000);
    for (const key of ['a', 'b', 'c']) await results.once(key, async () => done('x'.repeat(400)));
    expect(clock.waiting).toBe(2);
    clock.advance(60_000);
    expect(clock.waiting).toBe(0);
  });

  it('are shared, in any order of requests: work is done once per key, and all later requests get its result', async () => {
    const asker = record({ key: constantFrom('a', 'b'), begins: boolean() });
    await assert(
      asyncProperty(array(asker, { maxLength: 20 }), async (askers) => {
        const results = new Results(new ManualClock());
        const begun: string[] = [];
        let serial = 0;
        const outcomes = await Promise.all(
          askers.map(async ({ key, begins }) => {
            const name = `${key}${++serial}`;
            const outcome = await results.once(key, async () => {
              await Promise.resolve();
              if (begins) begun.push(name);
              return begins ? done(name) : NOT_BEGUN;
            });
            return { key, text: outcome.begun ? String(outcome.result.body) : null };
          }),
        );
        for (const key of ['a', 'b']) {
          const names = begun.filter((name) => name.startsWith(key));
          expect(names.length).toBeLessThanOrEqual(1);
          const texts = outcomes.filter((outcome) => outcome.key === key && outcome.text !== null);
          expect(new Set(texts.map(({ text }) => text)).size).toBe(names.length);
        }
      }),
    );
  });
});
