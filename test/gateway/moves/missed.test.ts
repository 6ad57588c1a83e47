import { describe, expect, it } from 'vitest';
import type { BusMessage } from '../../../src/domain/bus-message.js';
import { findMissed } from '../../../src/gateway/moves/missed.js';
import type { Envelope, StreamPosition } from '../../../src/infra/streams/envelope.js';

const TOPIC = 'guild:1';
const from: StreamPosition = { clock: 10, counts: { a: 4 } };

const envelope = (clock: number | null, count: number, origin = 'a'): Envelope<BusMessage> => ({
  origin,
  count,
  previous: count - 1,
  clock,
  messages: [{ type: `${clock}:${count}` } as unknown as BusMessage],
});

/** A stream of which `log` is read, one list after the other. */
function stream(here: StreamPosition | null, heard: number | null, ...log: (Envelope<BusMessage>[] | null)[]) {
  let reads = 0;
  const since = async () => log[Math.min(reads++, log.length - 1)] ?? null;
  return { position: () => here, heard: () => heard, since, reads: () => reads };
}

const typesOf = async (...args: Parameters<typeof findMissed>) => {
  const missed = await findMissed(...args);
  return missed && { types: missed.messages.map(({ type }) => type), position: missed.position };
};

describe('what a moved session has missed', () => {
  it('is nothing if this process is not ahead', async () => {
    const bus = stream({ clock: 10, counts: { a: 4 } }, 10);
    expect(await findMissed(bus, TOPIC, from, 0)).toEqual({ messages: [], position: from });
    expect(bus.reads()).toBe(0);
  });

  it('is in the log if this process has heard more of a publisher', async () => {
    const bus = stream({ clock: 10, counts: { a: 5 } }, 10, [envelope(null, 5)]);
    expect(await typesOf(bus, TOPIC, from, 0)).toEqual({
      types: ['null:5'],
      position: { clock: 10, counts: { a: 5 } },
    });
  });

  it('comes in the order of the clocks, among which events without one keep their places', async () => {
    const bus = stream(null, 12, [envelope(12, 6), envelope(null, 7), envelope(11, 1, 'b')]);
    expect(await typesOf(bus, TOPIC, from, 0)).toEqual({
      types: ['11:1', 'null:7', '12:6'],
      position: { clock: 12, counts: { a: 7, b: 1 } },
    });
  });

  it('is awaited until no clock is missing', async () => {
    const bus = stream(null, 11, [envelope(12, 6)], [envelope(12, 6), envelope(11, 5)]);
    expect((await typesOf(bus, TOPIC, from, 0))?.types).toEqual(['11:5', '12:6']);
    expect(bus.reads()).toBe(2);
  });

  it('is awaited until it includes what this process has delivered', async () => {
    const bus = stream({ clock: 11, counts: { a: 5 } }, 11, [], [envelope(11, 5)]);
    expect((await typesOf(bus, TOPIC, from, 0))?.types).toEqual(['11:5']);
  });

  it('is unknown if the log was cut', async () => {
    expect(await findMissed(stream(null, 11, null), TOPIC, from, 0)).toBeNull();
  });

  it('is unknown if a clock does not come within two seconds', async () => {
    expect(await findMissed(stream(null, 12, [envelope(12, 6)]), TOPIC, from, 0)).toBeNull();
  }, 10_000);
});
