import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { atMost } from '../caching/at-most.js';
import { chunksOf } from '../concurrency/event-loop.js';
import { Semaphore } from '../concurrency/semaphore.js';
import type { BusSubscription, Typed } from '../processes/bus.js';
import type { RedisLink } from '../processes/redis.js';
import { RedisChannels } from '../processes/redis-channels.js';
import { type Envelope, type StreamPosition, writeEnvelope } from './envelope.js';
import { Stream, type StreamHandler, type StreamOptions, type SubscribeOptions } from './stream.js';
import { channelPrefix, findRunId, StreamSender } from './stream-log.js';

type ReadClocks = (topics: readonly string[]) => Promise<ReadonlyMap<string, number>>;

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
  /**
   * Reports a gap in each subscribed stream of which events do not come: their publisher ended before it sent them.
   * @param readClocks reads the clocks of the last committed changes
   * @param withinMs how long their events may take
   */
  findLost(readClocks: ReadClocks, withinMs?: number): Promise<void>;
  /** Whether other processes publish, too. */
  readonly isShared: boolean;
  /** The part of a stream that was delivered here. Null without subscribers, or while something waits. */
  position(topic: string): StreamPosition | null;
  /**
   * Envelopes of a subscribed stream after a position, in the order of the log. They include later ones, and
   * those that a process has not yet sent may be missing. Null if the log has not all.
   * @param sinceMs when the position was taken, in milliseconds since the Unix epoch
   */
  since(topic: string, position: StreamPosition, sinceMs: number): Promise<Envelope<Message>[] | null>;
  /** Call this when an open transaction takes a clock. */
  expect(topic: string, clock: number): void;
  subscribe(topic: string, handler: StreamHandler<Message>, options?: SubscribeOptions): BusSubscription;
  /** Subscribes to all streams to which this process publishes. */
  tap(handler: StreamHandler<Message>): void;
  close(): Promise<void>;
}

/** Streams whose last envelope a process remembers. */
const MAX_REMEMBERED = 100_000;

/** Changed objects that a process remembers. */
const MAX_CHANGES = 20_000;

/** Streams whose logs are read at a time after an outage. */
const RESUMED_AT_ONCE = 8;

/** The run ID of Redis is asked for again after this time. */
const ASK_AGAIN_MS = 100;

const READY = Promise.resolve();

/** How long a committed change may take to be heard, until its events count as lost. */
const HEARD_WITHIN_MS = 5_000;
const TOPICS_PER_QUERY = 1_000;

export function createStreams<Message extends Typed>(options: StreamOptions<Message>): Streams<Message> {
  return new AllStreams(options);
}

class AllStreams<Message extends Typed> implements Streams<Message> {
  readonly #origin = randomUUID();
  #count = 0;
  #lastClock = 0;
  readonly #previous = new LRUCache<string, number>(atMost(MAX_REMEMBERED));
  readonly #changes = new LRUCache<string, number>(atMost(MAX_CHANGES));
  readonly #streams = new Map<string, Stream<Message>>();
  readonly #taps: StreamHandler<Message>[] = [];
  readonly #sender: StreamSender | null = null;
  readonly #channels: RedisChannels | null = null;
  readonly #turns = new Semaphore(RESUMED_AT_ONCE);
  #runId: Promise<string | null> = Promise.resolve(null);
  #isClosed = false;

  constructor(private readonly options: StreamOptions<Message>) {
    const { redis } = options;
    if (!redis) return;
    this.#sender = new StreamSender(redis, options.log, (topic) => this.#send(topic, null, [], true));
    this.#channels = new RedisChannels(redis, channelPrefix(redis), {
      onText: (topic, text) => this.#streams.get(topic)?.hearPublished(text),
      onResumed: (topic) => void this.#resume(topic),
    });
    redis.subscriber.on('close', () => {
      for (const stream of this.#streams.values()) stream.interrupt();
    });
    redis.subscriber.on('ready', () => {
      this.#runId = this.#askRunId(redis);
    });
    this.#runId = this.#askRunId(redis);
  }

  async #askRunId(redis: RedisLink): Promise<string | null> {
    let runId = await findRunId(redis);
    for (; runId === null && !this.#isClosed; runId = await findRunId(redis)) await wait(ASK_AGAIN_MS);
    return runId;
  }

  async #resume(topic: string): Promise<void> {
    const release = await this.#turns.take();
    try {
      await this.#streams.get(topic)?.resume(await this.#runId);
    } finally {
      release?.();
    }
  }

  get isShared(): boolean {
    return this.#sender !== null;
  }

  publish(topic: string, message: Message): void {
    this.publishCommitted(topic, null, [message]);
  }

  publishCommitted(topic: string, clock: number | null, messages: readonly Message[], isGap = false): void {
    this.#lastClock = clock ?? this.#lastClock;
    const envelope = this.#send(topic, clock, messages, isGap);
    const isTapped = this.#taps.length > 0 && (messages.length > 0 || isGap);
    const stream = this.#streams.get(topic) ?? (isTapped ? this.#open(topic) : undefined);
    stream?.take(envelope);
  }

  heard(topic: string): number | null {
    return this.options.order === 'byCall' ? this.#lastClock : (this.#streams.get(topic)?.heard ?? null);
  }

  position(topic: string): StreamPosition | null {
    const position = this.#streams.get(topic)?.position;
    return position ? { ...position, counts: { ...position.counts, [this.#origin]: this.#count } } : null;
  }

  async since(topic: string, position: StreamPosition, sinceMs: number): Promise<Envelope<Message>[] | null> {
    return (await this.#streams.get(topic)?.since(position, sinceMs)) ?? null;
  }

  lose(topic: string): void {
    this.#streams.get(topic)?.lose();
  }

  expect(topic: string, clock: number): void {
    this.#streams.get(topic)?.expect(clock);
  }

  async findLost(readClocks: ReadClocks, withinMs = HEARD_WITHIN_MS): Promise<void> {
    const subscribed = [...this.#streams].flatMap(([topic, stream]) => (stream.canCatchUp ? [topic] : []));
    const clocks: [string, number][] = [];
    for (const piece of chunksOf(subscribed, TOPICS_PER_QUERY)) clocks.push(...(await readClocks(piece)));
    await wait(withinMs);
    for (const [topic, clock] of clocks) this.#streams.get(topic)?.catchUp(clock);
  }

  #send(topic: string, clock: number | null, messages: readonly Message[], isGap: boolean): Envelope<Message> {
    this.#count += 1;
    const count = this.#count;
    const previous = this.#previous.get(topic) ?? 0;
    const publishedAt = Date.now();
    const envelope = { origin: this.#origin, count, previous, clock, messages, publishedAt, ...(isGap && { isGap }) };
    if (this.#sender) {
      this.#previous.set(topic, count);
      this.#sender.send(topic, writeEnvelope(envelope, envelope.messages.some(this.options.decidesAccess)));
    }
    return envelope;
  }

  subscribe(topic: string, handler: StreamHandler<Message>, options: SubscribeOptions = {}): BusSubscription {
    const stream = this.#streams.get(topic) ?? this.#open(topic);
    const leave = stream.add({ handler, ...options });
    return new StreamSubscription(stream, () => {
      leave();
      if (!stream.isEmpty) return;
      stream.close();
      this.#streams.delete(topic);
      this.#channels?.leave(topic);
    });
  }

  tap(handler: StreamHandler<Message>): void {
    this.#taps.push(handler);
    for (const stream of this.#streams.values()) stream.add({ handler });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }

  #open(topic: string): Stream<Message> {
    const channel = this.#channels?.open(topic) ?? null;
    const stream = new Stream<Message>(topic, channel, this.#origin, this.#changes, this.options);
    this.#streams.set(topic, stream);
    if (channel) void this.#runId.then((runId) => stream.noteRunId(runId));
    for (const handler of this.#taps) stream.add({ handler });
    return stream;
  }
}

/** A class, because an object literal with a getter takes four times as much memory, and there are many. */
class StreamSubscription implements BusSubscription {
  readonly ready: Promise<void>;
  #leave: (() => void) | null;

  constructor(
    private readonly stream: Pick<Stream<Typed>, 'channel'>,
    leave: () => void,
  ) {
    this.ready = stream.channel?.ready ?? READY;
    this.#leave = leave;
  }

  get isComplete(): boolean {
    return this.stream.channel?.isComplete ?? true;
  }

  close(): void {
    const leave = this.#leave;
    this.#leave = null;
    leave?.();
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

function wait(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false });
}
