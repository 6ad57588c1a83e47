import { LRUCache } from 'lru-cache';
import { BUS_RECONNECTED, type Bus, type BusSubscription, type Reconnected } from './bus.js';
import type { Clock } from './clock.js';

/**
 * How long anything remembered counts, in milliseconds. What was made from it may be remembered as long again and no longer, so
 * that a change nobody was told of is seen within a minute.
 */
export const REMEMBER_MS = 30_000;

/** The bound of an `LRUCache`, as options: its own `max` would set the room for all entries aside at once. */
export function atMost(entries: number) {
  return { maxSize: entries, sizeCalculation: () => 1 };
}

/**
 * One of several things that are remembered in the facts of a {@link Memory}, read once for all who ask. One that could not be read is
 * not remembered.
 * @param max beyond so many, all of them are forgotten first
 */
export function remember<Key, Thing>(
  things: Map<Key, Promise<Thing>>,
  key: Key,
  max: number,
  read: () => Promise<Thing>,
): Promise<Thing> {
  const known = things.get(key);
  if (known) return known;
  if (things.size >= max) things.clear();
  // A query that is not begun until somebody waits for it would be begun by each who does.
  const reading = Promise.resolve(read());
  things.set(key, reading);
  reading.catch(() => things.get(key) === reading && things.delete(key));
  return reading;
}

interface Entry<Thing, Facts> {
  /** The thing itself, once somebody has asked for it. */
  thing: Promise<Thing | null> | null;
  facts: Facts;
  since: number;
  subscription: BusSubscription;
}

export interface MemoryOptions<Thing, Facts, Message extends { type: string }> {
  /** Of how many things something is remembered; those not asked for longest go first. */
  max: number;
  clock: Clock;
  bus: Bus<Message>;
  topicOf: (id: bigint) => string;
  /** Reads a thing, null where there is none. */
  read: (id: bigint) => Promise<Thing | null>;
  /** What else is remembered of a thing, of which nothing was read yet. */
  empty: () => Facts;
  /** Forgets what a message about the thing says has changed. */
  onMessage: (id: bigint, message: Message) => void;
}

/** A message of any kind does not tell the compiler that it is never of this one. */
function isReconnected(message: { type: string }): message is Reconnected {
  return message.type === BUS_RECONNECTED;
}

/**
 * What was read of things whose changes are told on the bus. Nobody waits for the bus: what is read before all changes are heard
 * is used, and read again once they are.
 */
export class Memory<Thing, Facts extends object, Message extends { type: string }> {
  readonly #entries: LRUCache<bigint, Entry<Thing, Facts>>;

  constructor(private readonly options: MemoryOptions<Thing, Facts, Message>) {
    this.#entries = new LRUCache({ ...atMost(options.max), dispose: ({ subscription }) => subscription.close() });
  }

  /** A thing, read once for all who ask. The changes of one that is not there, or could not be read, need not be heard. */
  thing(id: bigint): Promise<Thing | null> {
    const entry = this.#current(id);
    if (entry.thing) return entry.thing;
    // A query that is not begun until somebody waits for it would be begun by each who does.
    return this.#keep(id, entry, Promise.resolve(this.options.read(id)));
  }

  /** A part of the thing has changed: where the thing is remembered, `reread` makes it anew from what it was. */
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

  /** What else is remembered of a thing, for the caller to complete. */
  of(id: bigint): Facts {
    return this.#current(id).facts;
  }

  /** The same where something is remembered. */
  peek(id: bigint): Facts | undefined {
    return this.#entries.peek(id)?.facts;
  }

  /** The thing has changed: everything is to be read again. */
  forget(id: bigint): void {
    const entry = this.#entries.peek(id);
    if (entry) this.#empty(entry);
  }

  #current(id: bigint): Entry<Thing, Facts> {
    const entry = this.#entries.get(id) ?? this.#open(id);
    const age = this.options.clock.now() - entry.since;
    if (age < 0 || age >= REMEMBER_MS) this.#empty(entry);
    return entry;
  }

  #open(id: bigint): Entry<Thing, Facts> {
    const { bus, topicOf, onMessage, clock, empty } = this.options;
    const subscription = bus.subscribe(topicOf(id), (message) => {
      if (isReconnected(message)) this.forget(id);
      else onMessage(id, message);
    });
    const entry: Entry<Thing, Facts> = { thing: null, facts: empty(), since: clock.now(), subscription };
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
