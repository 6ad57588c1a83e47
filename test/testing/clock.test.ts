import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningSandbox } from '../../src/sandbox/start.js';
import { Instance, type World } from '../../src/testing/index.js';
import { startTestSandbox } from '../harness/sandbox.js';

describe('the clock of an instance', () => {
  let running: RunningSandbox;
  let instance: Instance;
  let world: World;

  beforeAll(async () => {
    running = await startTestSandbox();
    instance = new Instance(running);
    world = await instance.createWorld({
      guilds: [{ name: 'Kitchen', channels: [{ name: 'kitchen', slowMode: 60 }] }],
    });
  });
  afterAll(() => running.stop());

  it('ends a timeout and a slow mode when it is advanced', async () => {
    const grace = world.person('grace').in('kitchen');
    await grace.send('hello');
    await expect(grace.send('again')).rejects.toMatchObject({ code: 'SLOW_MODE' });
    await instance.clock.advance('60s');
    expect((await world.transcript()).at(-1)).toMatchObject({ kind: 'world', text: 'The clock is advanced by 60s.' });
    await grace.send('again');
    await instance.clock.advance('60s');
    await world.guild.timeOut('grace', new Date((await instance.clock.now()).getTime() + 600_000));
    await expect(grace.send('more')).rejects.toThrow('grace is timed out until');
    await instance.clock.advance('10m');
    await grace.send('more');
  });

  it('stands still while it is frozen, and moves to a date', async () => {
    const frozen = await instance.clock.freeze();
    expect(await instance.clock.now()).toEqual(frozen);
    const later = new Date(frozen.getTime() + 86_400_000);
    expect(await instance.clock.set(later)).toEqual(later);
    await expect(instance.clock.set(frozen)).rejects.toMatchObject({ code: 'INVALID_TIME' });
    await expect(instance.clock.advance('soon')).rejects.toThrow('"soon" is not a duration');
    await instance.clock.resume();
  });

  it('cannot be moved while there is a second world', async () => {
    const other = await instance.createWorld();
    await expect(instance.clock.advance('1m')).rejects.toMatchObject({ code: 'SHARED_CLOCK' });
    await other.dispose();
    await instance.clock.advance('1m');
  });
});
