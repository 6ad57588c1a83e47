import { setTimeout } from 'node:timers/promises';
import type { LRUCache } from 'lru-cache';
import type { Logger } from '../observability/logger.js';
import type { Typed } from '../processes/bus.js';
import type { RedisLink } from '../processes/redis.js';
import type { RedisChannel } from '../processes/redis-channels.js';
import { type Envelope, isWithin, type Place, readEnvelope, type StreamPosition } from './envelope.js';
import { MAX_ABSENCE_MS, readLog, readPublished, type StreamLog } from './stream-log.js';
import { StreamOrder } from './stream-order.js';
import { hasClock } from './topics.js';

/** Events of the stream are lost. Subscribers must read again what they know of it. */
export const STREAM_GAP = 'STREAM_GAP';

export interface StreamGap {
  type: typeof STREAM_GAP;
}

const GAP: StreamGap = { type: STREAM_GAP };

/** @param place null for a gap */
export type StreamHandler<Message> = (message: Message | StreamGap, place: Place | null) => void;

export interface SubscribeOptions {
  /**
   * Messages come as soon as this process has them, even if an earlier change is still missing. In the publishing
   * process, that is before `publish` returns. For caches.
   */
  early?: boolean;
  /** Only messages that change access. */
  accessOnly?: boolean;
}

export interface StreamOptions<Message> {
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
  /** The object whose whole state the message has, and its clock. Older ones are skipped. */
  stateOf(message: Message): { key: string; clock: number } | undefined;
  /** Called for each gap of a stream. */
  onGap(): void;
}

/** The clocks of Redis and of this machine may differ by this much. */
const CLOCK_SKEW_MS = 60_000;

/** How long the log is tried to be read while Redis is unavailable, and how many envelopes wait for it. */
const MAX_READING = { ms: 15_000, arrived: 5_000 };
const READ_AGAIN_MS = 100;

interface Listener<Message> extends SubscribeOptions {
  handler: StreamHandler<Message>;
}

/** A stream in one process. */
export class Stream<Message extends Typed> {
  readonly #listeners = new Set<Listener<Message>>();
  readonly #order: StreamOrder<Message> | null;
  /** Counts of the last envelopes that were heard, by publisher. */
  readonly #counts = new Map<string, number>();
  readonly #openedAt = Date.now();
  /** When Redis received the last envelope that arrived here, in milliseconds since the Unix epoch. */
  #heardAt: number | null = null;
  /** The same before an interruption, until the log was read. */
  #readFrom: number | null = null;
  /** Since when messages of other processes may be missing, in milliseconds since the Unix epoch; null if they are not. */
  #awaySince: number | null = null;
  /** Of the Redis whose messages were heard last. */
  #runId: string | null = null;
  #recovery: Promise<void> | null = null;
  /** Envelopes that arrive while the log is read. */
  readonly #arrived: Envelope<Message>[] = [];

  constructor(
    private readonly topic: string,
    readonly channel: RedisChannel | null,
    private readonly origin: string,
    /** Clocks of the last changes of all streams, by topic and key of the object. */
    private readonly changes: LRUCache<string, number>,
    private readonly options: StreamOptions<Message>,
  ) {
    const { redis, order } = options;
    const deliver = (envelope: Envelope<Message>) => this.#deliver(envelope, false);
    this.#order =
      order === 'byCall' || !hasClock(topic)
        ? null
        : new StreamOrder<Message>({
            isShared: redis !== null,
            deliver,
            recover: () => this.recover(),
            canRecover: () => this.#canRecover(),
            onGap: () => this.lose(),
          });
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  get heard(): number | null {
    return this.#order?.heard ?? null;
  }

  /** The part that was delivered. Null while something waits. */
  get position(): StreamPosition | null {
    if (this.#recovery || this.#order?.isHolding || !this.#canRecover()) return null;
    return { clock: this.heard, counts: Object.fromEntries(this.#counts), openedAt: this.#openedAt };
  }

  /**
   * Envelopes after a position that this or another process had, in the order of the log. Null if the log has not all.
   * @param sinceMs when the position was taken, in milliseconds since the Unix epoch
   */
  async since(position: StreamPosition, sinceMs: number): Promise<Envelope<Message>[] | null> {
    const { redis } = this.options;
    if (!redis) return [];
    await this.channel?.ready;
    const log = await readLog(redis, this.topic, sinceMs - CLOCK_SKEW_MS).catch(() => null);
    if (!log) return null;
    const missed: Envelope<Message>[] = [];
    let isWhole = !log.isCut;
    for (const { text, at } of log.entries) {
      const envelope = this.#read(text, true);
      if (!envelope) return null;
      const { origin, clock, messages, isGap } = envelope;
      const isDelivered = isWithin(envelope, position);
      isWhole ||= isDelivered;
      const isFromBefore = clock === null && position.counts[origin] === undefined && at < position.openedAt;
      if (isFromBefore || isDelivered) continue;
      if (isGap) return null;
      missed.push({ ...envelope, messages: this.#upToDate(messages) });
    }
    return isWhole ? missed : null;
  }

  #canRecover(): boolean {
    const { redis } = this.options;
    return redis === null || (this.channel?.isComplete === true && redis.answers());
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

  /** Whether committed changes of all processes arrive now. */
  get canCatchUp(): boolean {
    return this.#order !== null && this.#canRecover();
  }

  catchUp(clock: number): void {
    if (this.#canRecover() && this.#awaySince === null && !this.#recovery) this.#order?.catchUp(clock);
  }

  /** Call this when messages of other processes no longer arrive. */
  interrupt(): void {
    this.#readFrom ??= this.#heardAt;
    this.#awaySince ??= Date.now();
  }

  noteRunId(runId: string | null): void {
    this.#runId ??= runId;
  }

  hearPublished(published: string): void {
    const { text, at } = readPublished(published);
    const envelope = this.#read(text);
    const before = this.#heardAt;
    this.#heardAt = at;
    if (envelope === null) this.lose();
    else if (envelope.origin === this.origin) return;
    else if (this.#recovery) this.#arrived.push(envelope);
    else if (this.#isAfterHole(envelope)) {
      this.#readFrom ??= before;
      void this.recover([envelope]);
    } else this.#hear(envelope);
  }

  /** Call this after a time without a complete subscription. */
  async resume(runId: string | null): Promise<void> {
    const isSameRedis = this.#runId === null || this.#runId === runId;
    const hasLog = isSameRedis && Date.now() - (this.#awaySince ?? Date.now()) < MAX_ABSENCE_MS;
    this.#runId = runId;
    this.#awaySince = null;
    if (hasLog) await this.recover();
    else this.lose();
    this.#order?.resume();
  }

  /** Reads the log for what was not heard, and reports a gap if that is not all. Concurrent calls share one reading. */
  recover(arrived: Envelope<Message>[] = []): Promise<void> {
    this.#arrived.push(...arrived);
    this.#recovery ??= this.#recover().finally(() => {
      this.#recovery = null;
    });
    return this.#recovery;
  }

  async #recover(): Promise<void> {
    const { redis } = this.options;
    if (!redis) return;
    let isGap = false;
    do {
      // The log has everything that was published before these arrived.
      const before = this.#arrived.length;
      const log = await this.#readLog(redis);
      if (this.isEmpty) break;
      const logged = log ? this.#unheard(log) : [];
      isGap ||= log?.isCut ?? true;
      for (const envelope of [...logged, ...this.#arrived.splice(0, before)]) {
        isGap ||= this.#isAfterHole(envelope);
        this.#hear(envelope);
      }
      for (let next = this.#arrived[0]; next && !this.#isAfterHole(next); next = this.#arrived[0]) {
        this.#arrived.shift();
        this.#hear(next);
      }
    } while (this.#arrived.length > 0);
    if (this.#canRecover()) this.#readFrom = null;
    if (isGap && !this.isEmpty) this.lose();
  }

  /** Null if Redis stays unavailable. */
  async #readLog(redis: RedisLink): Promise<StreamLog | null> {
    const since = performance.now();
    while (!this.isEmpty && this.#arrived.length < MAX_READING.arrived && performance.now() - since < MAX_READING.ms) {
      const from = this.#readFrom ?? this.#heardAt ?? this.#openedAt - CLOCK_SKEW_MS;
      const log = await readLog(redis, this.topic, from).catch(() => null);
      if (log) return log;
      await setTimeout(READ_AGAIN_MS, undefined, { ref: false });
    }
    return null;
  }

  #unheard({ entries }: StreamLog): Envelope<Message>[] {
    return entries.flatMap(({ text, at }) => {
      const envelope = this.#read(text);
      if (envelope === null || envelope.origin === this.origin) return [];
      const known = this.#counts.get(envelope.origin);
      return (known === undefined ? at < this.#openedAt : envelope.count <= known) ? [] : [envelope];
    });
  }

  lose(): void {
    this.options.onGap();
    // Caches forget what is outdated before others read it again.
    this.#tell(({ early }) => early ?? false);
    this.#tell(({ early }) => !early);
  }

  #tell(isTold: (listener: Listener<Message>) => boolean): void {
    for (const listener of [...this.#listeners].filter(isTold)) this.#call(listener, GAP, null);
  }

  /** Null if another version of the program has written the text. */
  #read(text: string, isWhole = false): Envelope<Message> | null {
    const listeners = [...this.#listeners];
    // Its own envelopes come back, too.
    const isNeeded = (origin: string, decidesAccess: boolean) =>
      isWhole || (origin !== this.origin && (decidesAccess || listeners.some(({ accessOnly }) => !accessOnly)));
    try {
      return readEnvelope<Message>(text, isNeeded);
    } catch (error) {
      this.options.log.error({ err: error, topic: this.topic }, 'Could not read an event of another process');
      return null;
    }
  }

  #isAfterHole({ origin, count, previous }: Envelope<Message>): boolean {
    const known = this.#counts.get(origin);
    return known !== undefined && count > known && previous !== known && previous !== 0;
  }

  #hear(envelope: Envelope<Message>): void {
    const { origin, count } = envelope;
    if (count <= (this.#counts.get(origin) ?? 0)) return;
    this.#counts.set(origin, count);
    this.take(envelope);
  }

  take(envelope: Envelope<Message>): void {
    this.#deliver(envelope, true);
    if (this.#order) this.#order.take(envelope);
    else this.#deliver(envelope, false);
  }

  #deliver(envelope: Envelope<Message>, early: boolean): void {
    const { messages, isGap } = envelope;
    if (isGap) {
      if (early) this.#tell(({ early }) => early ?? false);
      else this.lose();
    }
    for (const sent of messages) {
      // Another version of the program may have written it.
      this.#logging(sent, () => this.#deliverMessage(sent, envelope, early));
    }
  }

  #deliverMessage(sent: Message, place: Place, early: boolean): void {
    if (!early && this.#isOutdated(sent)) return;
    const message = early ? sent : this.#current(sent, place.clock);
    for (const listener of this.#listeners) {
      if ((listener.early ?? false) !== early) continue;
      if (listener.accessOnly && !this.options.decidesAccess(message)) continue;
      this.#call(listener, message, place);
    }
  }

  #isOutdated(message: Message): boolean {
    const state = this.options.stateOf(message);
    if (!state) return false;
    const last = this.#lastChange(state.key);
    if (state.clock > last) this.#noteChange(state.key, state.clock);
    return state.clock < last;
  }

  #upToDate(messages: readonly Message[]): Message[] {
    const { withoutOutdated } = this.options;
    return messages.flatMap((message) =>
      this.#isOutdated(message) ? [] : [withoutOutdated(message, (key, asOf) => this.#lastChange(key) > asOf)],
    );
  }

  #lastChange(key: string): number {
    return this.changes.get(`${this.topic} ${key}`) ?? 0;
  }

  #noteChange(key: string, clock: number): void {
    this.changes.set(`${this.topic} ${key}`, clock);
  }

  #current(message: Message, clock: number | null): Message {
    const { changesOf, withoutOutdated } = this.options;
    if (clock !== null) for (const key of changesOf(message)) this.#noteChange(key, clock);
    return withoutOutdated(message, (key, asOf) => this.#lastChange(key) > asOf);
  }

  #call({ handler }: Listener<Message>, message: Message | StreamGap, place: Place | null): void {
    this.#logging(message, () => handler(message, place));
  }

  #logging({ type }: Typed, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.options.log.error({ err: error, topic: this.topic, type }, 'Event bus subscriber failed');
    }
  }
}
