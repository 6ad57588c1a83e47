import { describe, expect, it } from 'vitest';
import type { BusMessage } from '../../../src/domain/bus-message.js';
import { findMissed } from '../../../src/gateway/moves/missed.js';
import type { Envelope, StreamPosition } from '../../../src/infra/streams/envelope.js';

const TOPIC = 'guild:1';
const from: StreamPosition = { clock: 10, counts: { a: 4 }, openedAt: 0 };

const envelope = (clock: number | null, count: number, origin = 'a'): Envelope<BusMessage> => ({
  origin,
  count,
  previous: count - 1,
  clock,
  messages: [{ type: `${clock}:${count}` } as unknown as BusMessage],
});

/** A stream of which `log` is read, one list after the other. */
function stream(heard: number | null, ...log: (Envelope<BusMessage>[] | null)[]) {
  let reads = 0;
  const since = async () => log[Math.min(reads++, log.length - 1)] ?? null;
  return { isShared: true, heard: () => heard, since, reads: () => reads };
}

async function missedOn(bus: Parameters<typeof findMissed>[0], committed = 10) {
  const query = { topic: TOPIC, from, sinceMs: 0, committed: Promise.resolve(committed) };
  const missed = await findMissed(bus, query);
  return missed && { types: missed.messages.map(({ type }) => type), position: missed.position };
}

describe('what a moved session has missed', () => {
  it('is nothing if no other process publishes', async () => {
    const bus = { ...stream(12, [envelope(11, 5)]), isShared: false };
    expect(await missedOn(bus)).toEqual({ types: [], position: from });
    expect(bus.reads()).toBe(0);
  });

  it('is nothing if the log has nothing more', async () => {
    expect(await missedOn(stream(null, []))).toEqual({ types: [], position: from });
  });

  it('comes in the order of the clocks, among which events without one keep their places', async () => {
    const bus = stream(12, [envelope(12, 6), envelope(null, 7), envelope(11, 1, 'b')]);
    expect(await missedOn(bus)).toEqual({
      types: ['11:1', 'null:7', '12:6'],
      position: { clock: 12, counts: { a: 7, b: 1 }, openedAt: 0 },
    });
  });

  it('comes once, even if it was sent again', async () => {
    expect((await missedOn(stream(11, [envelope(11, 5), envelope(11, 5)])))?.types).toEqual(['11:5']);
  });

  it('is awaited until no clock is missing', async () => {
    const bus = stream(12, [envelope(12, 6)], [envelope(12, 6), envelope(11, 5)]);
    expect((await missedOn(bus))?.types).toEqual(['11:5', '12:6']);
    expect(bus.reads()).toBe(2);
  });

  it('is awaited until it includes what this process has delivered', async () => {
    expect((await missedOn(stream(11, [], [envelope(11, 5)])))?.types).toEqual(['11:5']);
  });

  it('is awaited until it includes what the database has committed', async () => {
    expect((await missedOn(stream(null, [], [envelope(11, 5)]), 11))?.types).toEqual(['11:5']);
  });

  it('is awaited until this process has heard it, and thus knows its permissions', async () => {
    const bus = stream(10, [envelope(11, 5)]);
    const late = { ...bus, heard: () => (bus.reads() > 1 ? 11 : 10) };
    expect((await missedOn(late))?.types).toEqual(['11:5']);
    expect(bus.reads()).toBe(2);
  });

  it('is unknown if the log was cut', async () => {
    expect(await missedOn(stream(11, null))).toBeNull();
  });

  it.each([
    ['a clock', [envelope(12, 6)], 10],
    ['the last committed change', [], 11],
  ])(
    'is unknown if %s does not come within two seconds',
    async (_what, log, committed) => {
      expect(await missedOn(stream(null, log), committed)).toBeNull();
    },
    10_000,
  );
});
