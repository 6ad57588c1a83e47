import { setTimeout } from 'node:timers/promises';
import type { BusMessage, EventBus } from '../../domain/bus-message.js';
import { type Envelope, isWithin, type StreamPosition } from '../../infra/streams/envelope.js';

/** The log is read again after this time if it does not yet have everything. */
const LOOK_EVERY_MS = 50;
/** It is read for so long in all. */
const LOOK_FOR_MS = 2_000;

export interface Missed {
  messages: BusMessage[];
  /** Of the last of them. */
  position: StreamPosition;
}

/**
 * Finds the events of a stream between a position in another process and now. Call this in the same tick in which
 * the session begins to hold new events. Null if not everything is known.
 * @param sinceMs when the position was taken, in milliseconds since the Unix epoch
 */
export async function findMissed(
  bus: Pick<EventBus, 'heard' | 'position' | 'since'>,
  topic: string,
  from: StreamPosition,
  sinceMs: number,
): Promise<Missed | null> {
  const [here, heard] = [bus.position(topic), bus.heard(topic)];
  if (here && isAtMost(here, from)) return { messages: [], position: from };
  for (let waited = 0; waited <= LOOK_FOR_MS; waited += LOOK_EVERY_MS) {
    const logged = await bus.since(topic, from, sinceMs);
    if (!logged) return null;
    const envelopes = withoutRepeats(logged);
    const position = positionAfter(from, envelopes);
    if (isWhole(from, envelopes) && (position.clock ?? 0) >= (heard ?? 0)) {
      return { messages: inOrder(envelopes).flatMap(({ messages }) => messages), position };
    }
    await setTimeout(LOOK_EVERY_MS);
  }
  return null;
}

/** After an outage of Redis, a process sends again what may not have arrived. */
function withoutRepeats(envelopes: readonly Envelope<BusMessage>[]): Envelope<BusMessage>[] {
  return [...new Map(envelopes.map((envelope) => [`${envelope.origin} ${envelope.count}`, envelope])).values()];
}

function isAtMost(position: StreamPosition, other: StreamPosition): boolean {
  return (
    (position.clock ?? 0) <= (other.clock ?? 0) &&
    Object.entries(position.counts).every(([origin, count]) => isWithin({ origin, count, clock: null }, other))
  );
}

function positionAfter(from: StreamPosition, envelopes: readonly Envelope<BusMessage>[]): StreamPosition {
  const counts = { ...from.counts };
  for (const { origin, count } of envelopes) counts[origin] = Math.max(counts[origin] ?? 0, count);
  const clock = Math.max(from.clock ?? 0, ...clocksOf(envelopes));
  return { clock: clock === 0 ? null : clock, counts };
}

function clocksOf(envelopes: readonly Envelope<BusMessage>[]): number[] {
  return envelopes.flatMap(({ clock }) => clock ?? []);
}

/** Whether no committed change is missing between them. */
function isWhole({ clock }: StreamPosition, envelopes: readonly Envelope<BusMessage>[]): boolean {
  const clocks = new Set(clocksOf(envelopes));
  return clocks.size === 0 || clocks.size === Math.max(...clocks) - (clock ?? 0);
}

/** Committed changes by their clocks. The others keep their places among them. */
function inOrder(envelopes: readonly Envelope<BusMessage>[]): Envelope<BusMessage>[] {
  const committed = envelopes.filter(({ clock }) => clock !== null).sort((a, b) => (a.clock ?? 0) - (b.clock ?? 0));
  return envelopes.map((envelope) => (envelope.clock === null ? envelope : (committed.shift() ?? envelope)));
}
