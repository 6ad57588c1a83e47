import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';
import type { BusSubscription, Typed } from '../processes/bus.js';
import { STREAM_GAP, type StreamGap } from '../streams/stream.js';
import type { Streams } from '../streams/streams.js';
import { atMost } from './at-most.js';

/**
 * How long a cached value is valid. Derived values may be cached for as long again, so that a missed change is visible
 * within a minute.
 */
export const CACHE_MS = 30_000;

/**
 * Shares a load among all callers, and does not cache a failed one.
 * @param max size at which the map is cleared before another load
 */
export function getOrLoad<Key, Thing>(
  things: Map<Key, Promise<Thing>>,
  key: Key,
  max: number,
  read: () => Promise<Thing>,
): Promise<Thing> {
  const known = things.get(key);
  if (known) return known;
  if (things.size >= max) things.clear();
  // A lazy query would start once for each caller that awaits it.
  const reading = Promise.resolve(read());
  things.set(key, reading);
  reading.catch(() => things.get(key) === reading && things.delete(key));
  return reading;
}

interface Entry<Thing, Facts> {
  thing: Promise<Thing | null> | null;
  /** Settles with the running load, also if its value is outdated. */
  running: Promise<void> | null;
  /** The load after it. */
  next: Promise<Thing | null> | null;
  facts: Facts;
  since: number;
  subscription: BusSubscription;
}

export interface SubscribedCacheOptions<Thing, Facts, Message extends Typed> {
  /** The least recently used entry is evicted first. */
  max: number;
  clock: Clock;
  bus: Pick<Streams<Message>, 'subscribe'>;
  topicOf: (id: bigint) => string;
  accessOnly?: boolean;
  read: (id: bigint) => Promise<Thing | null>;
  empty: () => Facts;
  /** Drops the facts that the message makes stale. */
  onMessage: (id: bigint, message: Message) => void;
}

/** `type` is any string, so TypeScript cannot narrow the union by it. */
function isGap(message: Typed): message is StreamGap {
  return message.type === STREAM_GAP;
}

/**
 * Bus messages invalidate values and facts. Reads do not wait for the subscription. A value that was read before it is
 * complete is read again afterwards.
 */
export class SubscribedCache<Thing, Facts extends object, Message extends Typed> {
  readonly #entries: LRUCache<bigint, Entry<Thing, Facts>>;

  constructor(private readonly options: SubscribedCacheOptions<Thing, Facts, Message>) {
    this.#entries = new LRUCache({ ...atMost(options.max), dispose: ({ subscription }) => subscription.close() });
  }

  /** Missing values and failed loads are not cached. */
  thing(id: bigint): Promise<Thing | null> {
    const entry = this.#current(id);
    return entry.thing ?? this.#keep(id, entry, this.#load(id, entry));
  }

  /** An entry has one load at a time. If that becomes outdated, all callers share the next. */
  #load(id: bigint, entry: Entry<Thing, Facts>): Promise<Thing | null> {
    if (!entry.running) return this.#start(id, entry);
    entry.next ??= entry.running.then(() => {
      entry.next = null;
      return this.#start(id, entry);
    });
    return entry.next;
  }

  #start(id: bigint, entry: Entry<Thing, Facts>): Promise<Thing | null> {
    // See {@link getOrLoad}.
    const thing = Promise.resolve(this.options.read(id));
    const end = () => {
      if (!entry.next) entry.running = null;
    };
    entry.running = thing.then(end, end);
    return thing;
  }

  /** Derives a cached value again after a part of it changed. */
  renew(id: bigint, reread: (before: Thing) => Promise<Thing | null>): void {
    const entry = this.#entries.peek(id);
    if (entry?.thing)
      void this.#keep(
        id,
        entry,
        entry.thing.then((before) => before && reread(before)),
      );
  }

  #keep(id: bigint, entry: Entry<Thing, Facts>, thing: Promise<Thing | null>): Promise<Thing | null> {
    entry.thing = thing;
    const drop = () => {
      if (this.#entries.peek(id)?.thing === thing) this.#entries.delete(id);
    };
    thing.then((found) => found ?? drop(), drop);
    return thing;
  }

  of(id: bigint): Facts {
    return this.#current(id).facts;
  }

  peek(id: bigint): Facts | undefined {
    return this.#entries.peek(id)?.facts;
  }

  forget(id: bigint): void {
    const entry = this.#entries.peek(id);
    if (entry) this.#empty(entry);
  }

  #current(id: bigint): Entry<Thing, Facts> {
    const entry = this.#entries.get(id) ?? this.#open(id);
    const age = this.options.clock.now() - entry.since;
    if (age < 0 || age >= CACHE_MS) this.#empty(entry);
    return entry;
  }

  #open(id: bigint): Entry<Thing, Facts> {
    const { bus, topicOf, onMessage, clock, empty, accessOnly = false } = this.options;
    const hear = (message: Message | StreamGap) => (isGap(message) ? this.forget(id) : onMessage(id, message));
    const subscription = bus.subscribe(topicOf(id), hear, { early: true, accessOnly });
    const entry: Entry<Thing, Facts> = {
      thing: null,
      running: null,
      next: null,
      facts: empty(),
      since: clock.now(),
      subscription,
    };
    if (!subscription.isComplete) void subscription.ready.then(() => subscription.isComplete && this.#empty(entry));
    this.#entries.set(id, entry);
    return entry;
  }

  #empty(entry: Entry<Thing, Facts>): void {
    entry.thing = null;
    entry.facts = this.options.empty();
    entry.since = this.options.clock.now();
  }
}
