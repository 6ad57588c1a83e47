import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '../caching/at-most.js';
import type { Logger } from '../observability/logger.js';
import type { BusSubscription, Typed } from '../processes/bus.js';
import type { RedisLink } from '../processes/redis.js';
import { type RedisChannel, RedisChannels } from '../processes/redis-channels.js';
import { type Envelope, readEnvelope, writeEnvelope } from './envelope.js';
import { findRunId, MAX_ABSENCE_MS, readLog, StreamSender } from './stream-log.js';
import { StreamOrder } from './stream-order.js';
import { hasClock } from './topics.js';

/** Events of the stream are lost. Subscribers must read again what they know of it. */
export const STREAM_GAP = 'STREAM_GAP';

export interface StreamGap {
  type: typeof STREAM_GAP;
}

const GAP: StreamGap = { type: STREAM_GAP };

/** @param clock the stream's number of the change; null for an event without a commit, and for a gap */
export type StreamHandler<Message> = (message: Message | StreamGap, clock: number | null) => void;

export interface SubscribeOptions {
  /**
   * Messages come as soon as this process has them, even if an earlier change is still missing. In the publishing
   * process, that is before `publish` returns. For caches.
   */
  early?: boolean;
  /** Only messages that change access. */
  accessOnly?: boolean;
}

export interface Streams<Message extends Typed> {
  /** For an event without a commit. Calls local subscribers before it returns, unless an earlier change is missing. */
  publish(topic: string, message: Message): void;
  /**
   * For the events of a committed change, which may have none.
   * @param isGap whether some could not be built
   */
  publishCommitted(topic: string, clock: number | null, messages: readonly Message[], isGap?: boolean): void;
  /** Reports a gap to the subscribers in this process. */
  lose(topic: string): void;
  /** A clock up to which this process has heard all changes; null if unknown. */
  heard(topic: string): number | null;
  /** Call this when an open transaction takes a clock. */
  expect(topic: string, clock: number): void;
  subscribe(topic: string, handler: StreamHandler<Message>, options?: SubscribeOptions): BusSubscription;
  /** Subscribes to all streams to which this process publishes. */
  tap(handler: StreamHandler<Message>): void;
  close(): Promise<void>;
}

export interface StreamsOptions<Message> {
  log: Logger;
  /** Null if no other process shares the streams. */
  redis: RedisLink | null;
  /**
   * `byClock`: clocks of one stream increase by one, and may be published in any order. `byCall`: they are published in
   * order.
   */
  order: 'byClock' | 'byCall';
  decidesAccess(message: Message): boolean;
  /** Keys of objects that the message changes, of those that other messages embed. */
  changesOf(message: Message): readonly string[];
  /** Leaves out embedded objects that have changed since a clock. */
  withoutOutdated(message: Message, isOutdated: (key: string, asOf: number) => boolean): Message;
  /** Called for each gap of a stream. */
  onGap(): void;
}

/** Streams whose last envelope a process remembers. */
const MAX_REMEMBERED = 100_000;

/** Changed objects that a stream remembers. */
const MAX_CHANGES = 1_000;

/** The clocks of Redis and of this machine may differ by this much. */
const CLOCK_SKEW_MS = 60_000;

export function createStreams<Message extends Typed>(options: StreamsOptions<Message>): Streams<Message> {
  return new AllStreams(options);
}

class AllStreams<Message extends Typed> implements Streams<Message> {
  readonly #origin = randomUUID();
  #count = 0;
  #lastClock = 0;
  readonly #previous = new LRUCache<string, number>(atMost(MAX_REMEMBERED));
  readonly #streams = new Map<string, Stream<Message>>();
  readonly #taps: StreamHandler<Message>[] = [];
  readonly #sender: StreamSender | null = null;
  readonly #channels: RedisChannels | null = null;
  /** Since when Redis is away, in milliseconds since the Unix epoch; null if it is not. */
  #awaySince: number | null = null;
  #runId: string | null = null;

  constructor(private readonly options: StreamsOptions<Message>) {
    const { redis } = options;
    if (!redis) return;
    this.#sender = new StreamSender(redis, (topic) => this.#send(topic, null, [], false));
    this.#channels = new RedisChannels(redis, {
      onText: (topic, text) => this.#streams.get(topic)?.hearText(text),
      onResumed: (topic) => void this.#resume(topic),
    });
    redis.subscriber.on('close', () => {
      this.#awaySince ??= Date.now();
    });
    redis.subscriber.on('ready', () => {
      this.#resuming = this.#compareRedis(redis);
    });
  }

  /** Whether Redis has kept its logs since the last connection. */
  #resuming: Promise<boolean> = Promise.resolve(true);

  async #compareRedis(redis: RedisLink): Promise<boolean> {
    const before = this.#runId;
    const awaySince = this.#awaySince;
    this.#awaySince = null;
    const runId = await findRunId(redis);
    this.#runId = runId;
    if (awaySince === null && before === null) return true;
    return runId !== null && runId === before && Date.now() - (awaySince ?? Date.now()) < MAX_ABSENCE_MS;
  }

  async #resume(topic: string): Promise<void> {
    const stream = this.#streams.get(topic);
    if (await this.#resuming) await stream?.recover();
    else stream?.lose();
  }

  publish(topic: string, message: Message): void {
    this.#publish(topic, null, [message], false);
  }

  publishCommitted(topic: string, clock: number | null, messages: readonly Message[], isGap = false): void {
    this.#publish(topic, hasClock(topic) ? clock : null, messages, isGap);
  }

  heard(topic: string): number | null {
    return this.options.order === 'byCall' ? this.#lastClock : (this.#streams.get(topic)?.heard ?? null);
  }

  lose(topic: string): void {
    this.#streams.get(topic)?.lose();
  }

  expect(topic: string, clock: number): void {
    this.#streams.get(topic)?.expect(clock);
  }

  #publish(topic: string, clock: number | null, messages: readonly Message[], isGap: boolean): void {
    this.#lastClock = clock ?? this.#lastClock;
    const envelope = this.#send(topic, clock, messages, isGap);
    const stream = this.#streams.get(topic) ?? (this.#taps.length > 0 ? this.#open(topic) : undefined);
    stream?.takeOwn(envelope);
  }

  #send(topic: string, clock: number | null, messages: readonly Message[], isGap: boolean): Envelope<Message> {
    this.#count += 1;
    const count = this.#count;
    const previous = this.#previous.get(topic) ?? 0;
    const envelope = { origin: this.#origin, count, previous, clock, messages, ...(isGap && { isGap }) };
    if (this.#sender) {
      this.#previous.set(topic, count);
      this.#sender.send(topic, writeEnvelope(envelope, envelope.messages.some(this.options.decidesAccess)));
    }
    return envelope;
  }

  subscribe(topic: string, handler: StreamHandler<Message>, options: SubscribeOptions = {}): BusSubscription {
    const stream = this.#streams.get(topic) ?? this.#open(topic);
    const leave = stream.add({ handler, ...options });
    let isOpen = true;
    return {
      get isComplete() {
        return stream.channel?.isComplete ?? true;
      },
      ready: stream.channel?.ready ?? Promise.resolve(),
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        leave();
        if (!stream.isEmpty) return;
        stream.close();
        this.#streams.delete(topic);
        this.#channels?.leave(topic);
      },
    };
  }

  tap(handler: StreamHandler<Message>): void {
    this.#taps.push(handler);
    for (const stream of this.#streams.values()) stream.add({ handler });
  }

  async close(): Promise<void> {
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }

  #open(topic: string): Stream<Message> {
    const channel = this.#channels?.open(topic) ?? null;
    const stream = new Stream<Message>(topic, channel, this.#origin, this.options);
    this.#streams.set(topic, stream);
    for (const handler of this.#taps) stream.add({ handler });
    return stream;
  }
}

export function subscribeToAll<Message extends Typed>(
  streams: Pick<Streams<Message>, 'subscribe'>,
  topics: readonly string[],
  handler: StreamHandler<Message>,
): BusSubscription {
  const subscriptions = topics.map((topic) => streams.subscribe(topic, handler));
  return {
    get isComplete() {
      return subscriptions.every(({ isComplete }) => isComplete);
    },
    ready: Promise.all(subscriptions.map(({ ready }) => ready)).then(() => {}),
    close() {
      for (const subscription of subscriptions) subscription.close();
    },
  };
}

interface Listener<Message> extends SubscribeOptions {
  handler: StreamHandler<Message>;
}

/** A stream in one process. */
class Stream<Message extends Typed> {
  readonly #listeners = new Set<Listener<Message>>();
  readonly #order: StreamOrder<Message> | null;
  /** Counts of the last envelopes that were heard, by publisher. */
  readonly #counts = new Map<string, number>();
  readonly #openedAt = Date.now();
  /** Clocks of the last changes, by key of the object. */
  readonly #changes = new LRUCache<string, number>(atMost(MAX_CHANGES));
  /** Envelopes that arrive while the log is read; null at other times. */
  #arrived: Envelope<Message>[] | null = null;

  constructor(
    private readonly topic: string,
    readonly channel: RedisChannel | null,
    private readonly origin: string,
    private readonly options: StreamsOptions<Message>,
  ) {
    const { redis, order } = options;
    const deliver = (envelope: Envelope<Message>) => this.#deliver(envelope, false);
    this.#order =
      order === 'byCall' || !hasClock(topic)
        ? null
        : new StreamOrder<Message>({
            isShared: redis !== null,
            deliver,
            recover: () => void this.recover(),
            canRecover: () => redis === null || (channel?.isComplete === true && redis.answers()),
            onGap: () => this.lose(),
          });
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  get heard(): number | null {
    return this.#order?.heard ?? null;
  }

  add(listener: Listener<Message>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#order?.close();
  }

  expect(clock: number): void {
    this.#order?.expect(clock);
  }

  takeOwn(envelope: Envelope<Message>): void {
    this.#take(envelope);
  }

  hearText(text: string): void {
    const envelope = this.#read(text);
    if (envelope.origin === this.origin) return;
    if (this.#arrived) this.#arrived.push(envelope);
    else if (this.#isAfterHole(envelope)) void this.recover([envelope]);
    else this.#hear(envelope);
  }

  /** Reads the log for what was not heard. Reports a gap if that is not all. */
  async recover(arrived: Envelope<Message>[] = []): Promise<void> {
    const { redis } = this.options;
    if (!redis || this.#arrived) return;
    this.#arrived = arrived;
    const log = await readLog(redis, this.topic, this.#openedAt - CLOCK_SKEW_MS).catch(() => null);
    const late = this.#arrived;
    this.#arrived = null;
    if (this.isEmpty) return;
    const logged = (log?.entries ?? []).flatMap(({ text, at }) => {
      const envelope = this.#read(text);
      const isOlder = !this.#counts.has(envelope.origin) && at < this.#openedAt;
      return envelope.origin === this.origin || isOlder ? [] : [envelope];
    });
    let isGap = false;
    for (const envelope of [...logged, ...late]) {
      if (this.#isAfterHole(envelope)) isGap = true;
      this.#hear(envelope);
    }
    // Without the log, the next connection to Redis tries again.
    if (isGap && log !== null) this.lose();
  }

  lose(): void {
    this.options.onGap();
    // Caches forget what is outdated before others read it again.
    const inOrder = [...this.#listeners].sort((a, b) => Number(b.early ?? false) - Number(a.early ?? false));
    for (const listener of inOrder) this.#call(listener, GAP, null);
  }

  #read(text: string): Envelope<Message> {
    const listeners = [...this.#listeners];
    return readEnvelope<Message>(
      text,
      (decidesAccess) => decidesAccess || listeners.some(({ accessOnly }) => !accessOnly),
    );
  }

  #isAfterHole({ origin, count, previous }: Envelope<Message>): boolean {
    const known = this.#counts.get(origin);
    return known !== undefined && count > known && previous !== known && previous !== 0;
  }

  #hear(envelope: Envelope<Message>): void {
    const { origin, count } = envelope;
    if (count <= (this.#counts.get(origin) ?? 0)) return;
    this.#counts.set(origin, count);
    this.#take(envelope);
  }

  #take(envelope: Envelope<Message>): void {
    this.#deliver(envelope, true);
    if (this.#order) this.#order.take(envelope);
    else this.#deliver(envelope, false);
  }

  #deliver({ messages, clock, isGap }: Envelope<Message>, early: boolean): void {
    if (isGap && !early) this.lose();
    for (const sent of messages) {
      const message = early ? sent : this.#current(sent, clock);
      for (const listener of this.#listeners) {
        if ((listener.early ?? false) !== early) continue;
        if (listener.accessOnly && !this.options.decidesAccess(message)) continue;
        this.#call(listener, message, clock);
      }
    }
  }

  #current(message: Message, clock: number | null): Message {
    const { changesOf, withoutOutdated } = this.options;
    if (clock !== null) for (const key of changesOf(message)) this.#changes.set(key, clock);
    return withoutOutdated(message, (key, asOf) => (this.#changes.get(key) ?? 0) > asOf);
  }

  #call({ handler }: Listener<Message>, message: Message | StreamGap, clock: number | null): void {
    try {
      handler(message, clock);
    } catch (error) {
      this.options.log.error({ err: error, topic: this.topic, type: message.type }, 'Event bus subscriber failed');
    }
  }
}
