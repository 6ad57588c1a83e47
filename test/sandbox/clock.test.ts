import { setImmediate, setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { pause } from '../../src/infra/clock.js';
import { SandboxClock } from '../../src/sandbox/clock.js';

const HOUR = 3_600_000;

let clock: SandboxClock;
let start: number;
beforeEach(() => {
  clock = new SandboxClock();
  clock.freeze();
  start = clock.now();
});

/** The times at which tasks ran, after `start`. */
let ran: number[] = [];
const note = () => void ran.push(clock.now() - start);
beforeEach(() => {
  ran = [];
});

describe('a frozen clock', () => {
  it('stands still, and runs only timers that are due now', async () => {
    clock.after(0, note);
    clock.after(-5, note);
    clock.after(1, note);
    await setTimeout(20);
    expect(ran).toEqual([0, 0]);
    expect(clock.state()).toMatchObject({ now: start, isFrozen: true });
    expect(clock.state().offsetMs).toBeLessThan(-15);
  });

  it('lets a task that sets a timer for now yield to other work', async () => {
    let left = 10;
    const again = () => {
      note();
      left -= 1;
      if (left > 0) clock.after(0, again);
    };
    clock.after(0, again);
    await setImmediate();
    expect(left).toBeGreaterThan(0);
    await expect.poll(() => left).toBe(0);
  });

  it('goes on where it stands when it is resumed, with its timers', async () => {
    await setTimeout(30);
    clock.after(10, note);
    clock.resume();
    expect(clock.now() - start).toBeLessThan(20);
    await setTimeout(30);
    expect(ran).toHaveLength(1);
    expect(ran[0]).toBeGreaterThanOrEqual(10);
    expect(clock.state().isFrozen).toBe(false);
  });
});

describe('a running clock', () => {
  it('is real time until it is moved, and then real time plus an offset', async () => {
    const running = new SandboxClock();
    expect(running.state()).toEqual({ now: expect.any(Number), isFrozen: false, offsetMs: 0 });
    await running.advance('1h');
    const { now, offsetMs } = running.state();
    expect(offsetMs).toBeGreaterThan(HOUR - 100);
    expect(offsetMs).toBeLessThanOrEqual(HOUR);
    await setTimeout(20);
    expect(running.now() - now).toBeGreaterThanOrEqual(19);
  });

  it('runs timers in real time, and does not run a cancelled one', async () => {
    clock.resume();
    clock.after(10, note).cancel();
    clock.after(20, note);
    await pause(clock, 30);
    expect(ran).toHaveLength(1);
    expect(ran[0]).toBeGreaterThanOrEqual(20);
  });

  it('keeps timers that are further away than Node.js allows', async () => {
    clock.resume();
    clock.after(40 * 24 * HOUR, note);
    await setTimeout(5);
    expect(ran).toEqual([]);
    await clock.advance('40d');
    expect(ran).toHaveLength(1);
  });
});

describe('moving the clock', () => {
  it('runs what falls due in order, at its time, also what was set on the way', async () => {
    clock.after(3_000, note);
    clock.after(1_000, () => {
      note();
      clock.after(500, note);
      clock.after(5_000, note);
    });
    clock.after(2_000, note).cancel();
    await clock.advance('3s');
    expect(ran).toEqual([1_000, 1_500, 3_000]);
    expect(clock.now() - start).toBe(3_000);
    await clock.advance(3_000);
    expect(ran).toEqual([1_000, 1_500, 3_000, 6_000]);
  });

  it('waits for the work of a timer before the next one', async () => {
    const order: string[] = [];
    clock.after(1_000, async () => {
      await setTimeout(20);
      order.push(`first at ${clock.now() - start}`);
      clock.after(500, () => void order.push('added'));
    });
    clock.after(2_000, () => void order.push('second'));
    await clock.advance('2s');
    expect(order).toEqual(['first at 1000', 'added', 'second']);
  });

  it('waits for work that was running before', async () => {
    let isDone = false;
    clock.after(0, async () => {
      await setTimeout(30);
      isDone = true;
    });
    await setTimeout(10);
    await clock.advance(0);
    expect(isDone).toBe(true);
  });

  it('lets code that paused set its next timer in time', async () => {
    const loop = async () => {
      for (let round = 0; round < 3; round += 1) {
        await pause(clock, 1_000);
        note();
      }
    };
    void loop();
    await clock.advance('10s');
    expect(ran).toEqual([1_000, 2_000, 3_000]);
  });

  it('is done one move after the other', async () => {
    clock.after(1_500, note);
    await Promise.all([clock.advance('1s'), clock.advance('1s')]);
    expect(ran).toEqual([1_500]);
    expect(clock.now() - start).toBe(2_000);
  });

  it('keeps a clock frozen that was frozen on the way', async () => {
    clock.resume();
    clock.after(1_000, () => clock.freeze());
    await clock.advance('2s');
    const { now, isFrozen } = clock.state();
    await setTimeout(5);
    expect([isFrozen, clock.now()]).toEqual([true, now]);
  });

  it('shows the end of the move to its timers', async () => {
    const ends: (number | undefined)[] = [];
    clock.after(1_000, () => void ends.push(clock.movesTo));
    await clock.advance('2s');
    expect([...ends, clock.movesTo]).toEqual([start + 2_000, undefined]);
  });

  it('is possible to a date', async () => {
    clock.after(HOUR, note);
    await clock.set(new Date(start + 2 * HOUR));
    await clock.set(new Date(start + 3 * HOUR).toISOString());
    expect(ran).toEqual([HOUR]);
    expect(clock.now() - start).toBe(3 * HOUR);
  });

  it.each([
    ['the past', () => clock.set(start - 1), /^the clock cannot go back: it is .*Z, later than .*Z$/],
    ['a time without snowflake ids', () => clock.advance('30000d'), /^the clock cannot go beyond 2084-09-06/],
    ['text that is not a date', () => clock.set('tomorrow'), /^"tomorrow" is not a date/],
    ['no duration', () => clock.advance('1 week'), /^"1 week" is not a duration/],
  ])('is refused to %s, and changes nothing', async (_what, move, message) => {
    clock.after(1, note);
    await expect(move()).rejects.toThrow(message);
    expect([clock.now(), clock.movesTo, ran]).toEqual([start, undefined, []]);
  });

  it('fails when work does not end, and can go on afterwards', async () => {
    clock = new SandboxClock(20);
    clock.freeze();
    start = clock.now();
    let end = () => {};
    clock.after(1_000, () => new Promise<void>((resolve) => (end = resolve)));
    await expect(clock.advance('2s')).rejects.toThrow(
      /^the clock stopped at .*Z: work .* did not finish within 0.02 s$/,
    );
    expect(clock.now() - start).toBe(1_000);
    end();
    await clock.advance('1s');
    expect(clock.now() - start).toBe(2_000);
  });

  it('is announced to listeners, as are freezing and resuming', async () => {
    const heard: string[] = [];
    const stop = clock.onMove(({ now, isFrozen }) => void heard.push(`${now - start} ${isFrozen}`));
    await clock.advance('2s');
    clock.resume();
    clock.freeze();
    stop();
    await clock.advance('1s');
    await setImmediate();
    expect(heard).toEqual(['2000 true', '2000 false', expect.stringMatching(/^20\d\d true$/)]);
  });
});
