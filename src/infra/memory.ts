import { LRUCache } from 'lru-cache';
import type { Bus, BusMessage, BusSubscription } from './bus.js';
import type { Clock } from './clock.js';

/** How long anything remembered counts, in milliseconds: a change that nobody was told of is seen after that. */
export const REMEMBER_MS = 60_000;

interface Entry<Facts> {
  facts: Facts;
  since: number;
  subscription: BusSubscription;
}

export interface MemoryOptions<Facts> {
  /** Of how many things something is remembered; those not asked for longest go first. */
  max: number;
  clock: Clock;
  bus: Bus;
  topicOf: (id: bigint) => string;
  /** Facts of which nothing was read yet. */
  empty: () => Facts;
  onMessage: (id: bigint, message: BusMessage) => void;
}

/**
 * What was read of things whose changes are told on the bus. Nobody waits for the bus: what is read before all changes are heard
 * is used, and read again once they are.
 */
export class Memory<Facts> {
  readonly #entries: LRUCache<bigint, Entry<Facts>>;

  constructor(private readonly options: MemoryOptions<Facts>) {
    this.#entries = new LRUCache({ max: options.max, dispose: ({ subscription }) => subscription.close() });
  }

  /** What is remembered of a thing, for the caller to complete. */
  of(id: bigint): Facts {
    const entry = this.#entries.get(id) ?? this.#open(id);
    const age = this.options.clock.now() - entry.since;
    if (age < 0 || age >= REMEMBER_MS) this.#empty(entry);
    return entry.facts;
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

  /** There is no such thing, or it could not be read: its changes need not be heard. */
  drop(id: bigint, facts: Facts): void {
    if (this.#entries.peek(id)?.facts === facts) this.#entries.delete(id);
  }

  #open(id: bigint): Entry<Facts> {
    const { bus, topicOf, onMessage, clock, empty } = this.options;
    const subscription = bus.subscribe(topicOf(id), (message) => onMessage(id, message));
    const entry: Entry<Facts> = { facts: empty(), since: clock.now(), subscription };
    if (!subscription.isComplete) void subscription.ready.then(() => subscription.isComplete && this.#empty(entry));
    this.#entries.set(id, entry);
    return entry;
  }

  #empty(entry: Entry<Facts>): void {
    entry.facts = this.options.empty();
    entry.since = this.options.clock.now();
  }
}
