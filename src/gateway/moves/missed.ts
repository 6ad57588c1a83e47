import { setTimeout } from 'node:timers/promises';
import type { BusMessage, EventBus } from '../../domain/bus-message.js';
import type { Envelope, StreamPosition } from '../../infra/streams/envelope.js';

/** The log is read again after this time if it does not yet have everything. */
const LOOK_EVERY_MS = 50;
/** It is read for so long in all. */
const LOOK_FOR_MS = 2_000;

export interface Missed {
  messages: BusMessage[];
  /** Of the last of them. */
  position: StreamPosition;
}

export interface MissedQuery {
  topic: string;
  /** The position in the other process. */
  from: StreamPosition;
  /** When it was taken, in milliseconds since the Unix epoch. */
  sinceMs: number;
  /** The stream's last committed change, read after the session began to hold new events; 0 for none. */
  committed: Promise<number>;
}

/**
 * Finds the events of a stream between a position in another process and now. Call this in the same tick in which
 * the session begins to hold new events. Null if not everything is known.
 */
export async function findMissed(
  bus: Pick<EventBus, 'heard' | 'since' | 'isShared'>,
  { topic, from, sinceMs, committed }: MissedQuery,
): Promise<Missed | null> {
  // The process that left was alone, and published nothing afterwards.
  if (!bus.isShared) return { messages: [], position: from };
  const last = Math.max(bus.heard(topic) ?? 0, await committed);
  for (let waited = 0; waited <= LOOK_FOR_MS; waited += LOOK_EVERY_MS) {
    const logged = await bus.since(topic, from, sinceMs);
    if (!logged) return null;
    const envelopes = withoutRepeats(logged);
    const position = positionAfter(from, envelopes);
    const clock = position.clock ?? 0;
    // A process that has not heard a change of permissions would judge later events by outdated ones.
    const isHeard = (bus.heard(topic) ?? clock) >= clock;
    if (isHeard && isWhole(from, envelopes) && clock >= last) {
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

function positionAfter(from: StreamPosition, envelopes: readonly Envelope<BusMessage>[]): StreamPosition {
  const counts = { ...from.counts };
  for (const { origin, count } of envelopes) counts[origin] = Math.max(counts[origin] ?? 0, count);
  const clock = Math.max(from.clock ?? 0, ...clocksOf(envelopes));
  return { ...from, clock: clock === 0 ? null : clock, counts };
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
