import { GatewayIntentBits } from 'discord-api-types/v10';
import type { AuthenticatedBot, PrivilegedIntent } from '../domain/applications/index.js';
import type { Clock, Timer } from '../infra/clock.js';
import { KeyedMutex, Mutex } from '../infra/concurrency/mutex.js';
import type { User } from '../infra/database/index.js';
import type { StreamPosition } from '../infra/streams/envelope.js';
import type { GatewayEvent, Payload } from './events.js';
import { Pace } from './pace.js';
import type { PresenceUpdate } from './payloads.js';
import {
  BACKLOG_LIMIT,
  type Close,
  closes,
  type GatewayVersion,
  MAX_WAITING_REQUESTS,
  PRESENCE_LIMIT,
  REPLAY_LIMIT,
  RESUME_WINDOW_MS,
  shardOfGuild,
} from './protocol.js';
import { ReplayBuffer } from './replay-buffer.js';

export interface GuildSubscription {
  /** Whether GUILD_CREATE is still to be sent. */
  readonly isHeld: boolean;
  /** Whether the client has the guild from another process, and the events since then are still to be sent. */
  readonly isArriving: boolean;
  /** Whether every event that the process has heard is with the session. */
  readonly isIdle: boolean;
  /** Makes the guild unavailable to the session, or ends it with `close` if it cannot be notified. */
  drop(close: Close): void;
  detach(): void;
}

export interface SessionLink {
  /** When it was opened, from `performance.now()`. */
  readonly openedAt: number;
  readonly hasCapacity: boolean;
  send(payload: Payload): void;
  close(close: Close): void;
}

export interface Shard {
  id: number;
  count: number;
}

export interface SessionTerms {
  id: string;
  bot: AuthenticatedBot;
  version: GatewayVersion;
  intents: number;
  /** Null without sharding. */
  shard: Shard | null;
  largeThreshold: number;
  presence: PresenceUpdate | null;
}

/** The state of a session that moves, apart from its guilds. */
export interface SessionProgress {
  /** Of the last event. */
  sequence: number;
  /** Sequence number of the last event that was sent. */
  sent: number;
  acknowledged: number;
  /** The kept events, of which the last has `sequence`. */
  events: GatewayEvent[];
  /** When it lost its client or left, in milliseconds since the Unix epoch. */
  waitsSince: number;
}

const NOTHING = () => {};

/** Why a session left this process. */
export type Departure = 'ended' | 'moved';

/**
 * The state that survives a connection. The replay buffer is the only queue: it holds events that are new, resent by
 * RESUME or delayed by a slow client. Sessions share the event objects.
 */
export class Session {
  readonly id: string;
  readonly bot: AuthenticatedBot;
  readonly botId: bigint;
  user: User;
  readonly version: GatewayVersion;
  readonly intents: number;
  /** Whether the session receives the content of all messages (docs/gateway.md, G-15). */
  readsContent: boolean;
  readonly shard: Shard | null;
  readonly largeThreshold: number;
  presence: PresenceUpdate | null;
  readonly presencePace: Pace;

  /** Guilds whose events the session receives, by id. */
  readonly guilds = new Map<bigint, GuildSubscription>();
  readonly unavailableGuilds = new Set<bigint>();
  /** Resolves after READY and its guilds were dispatched. */
  readonly introduced: Promise<void>;

  readonly #replay: ReplayBuffer;
  #sequence = 0;
  #sent = 0;
  #unsentBytes = 0;
  #acknowledged = 0;
  /** True after IDENTIFY or RESUME until all events are sent. Until then, `BACKLOG_LIMIT` does not apply. */
  #catchingUp = true;
  #link: SessionLink | null = null;
  #expiry: Timer | null = null;
  #waitsSince: number | null = null;
  #ended = false;
  #endedBy: Close | undefined;
  #roomWaiters: (() => void)[] = [];
  #markIntroduced: () => void = NOTHING;
  readonly #roomMutex = new Mutex();
  #tasks: KeyedMutex<string | null> | null = null;
  #waitingTasks = 0;
  /** Includes those that wait. */
  #runningTasks = 0;
  #isIntroduced = false;
  /** The positions up to which a moved session has the events about its bot, by topic. */
  #caughtUpTo: Map<string, StreamPosition> | null = null;

  constructor(
    private readonly clock: Clock,
    readonly terms: SessionTerms,
    private readonly onEnd: (session: Session, departure: Departure) => void,
    progress?: SessionProgress,
  ) {
    this.id = terms.id;
    this.bot = terms.bot;
    this.user = terms.bot.actor.user;
    this.botId = this.user.id;
    this.version = terms.version;
    this.intents = terms.intents;
    this.readsContent = this.#mayReadContent(terms.bot.privilegedIntents);
    this.shard = terms.shard;
    this.largeThreshold = terms.largeThreshold;
    this.presence = terms.presence;
    this.presencePace = new Pace(clock, PRESENCE_LIMIT);
    this.introduced = new Promise((resolve) => {
      this.#markIntroduced = resolve;
    });
    this.#replay = progress
      ? ReplayBuffer.of(progress.events, progress.sequence - progress.events.length + 1)
      : new ReplayBuffer();
    if (progress) this.#goOn(progress);
  }

  #goOn({ sequence, sent, acknowledged, waitsSince }: SessionProgress): void {
    this.#sequence = sequence;
    this.#sent = sent;
    this.#acknowledged = acknowledged;
    this.#unsentBytes = this.#bytesAfter(sent);
    this.#wait(waitsSince);
  }

  /** Size of the events kept for a RESUME. */
  get keptBytes(): number {
    return this.#replay.bytes;
  }

  /** The position up to which a moved session has a stream about its bot. */
  caughtUpTo(topic: string): StreamPosition | undefined {
    return this.#caughtUpTo?.get(topic);
  }

  catchUpTo(topic: string, position: StreamPosition): void {
    this.#caughtUpTo ??= new Map();
    this.#caughtUpTo.set(topic, position);
  }

  /** Whether READY's guilds are dispatched, and no request of the client is being answered. */
  get isSettled(): boolean {
    return this.#isIntroduced && this.#runningTasks === 0;
  }

  /** From here on, this process no longer has the session. Its connection stays open. */
  leave(): { progress: SessionProgress; link: SessionLink | null } {
    const link = this.#link;
    const progress = {
      sequence: this.#sequence,
      sent: this.#sent,
      acknowledged: this.#acknowledged,
      events: this.#replay.events,
      waitsSince: this.#waitsSince ?? this.clock.now(),
    };
    this.#depart('moved');
    return { progress, link };
  }

  get ended(): boolean {
    return this.#ended;
  }

  get endedBy(): Close | undefined {
    return this.#endedBy;
  }

  get connected(): boolean {
    return this.#link !== null;
  }

  /** When its connection was opened, from `performance.now()`; null if it has none. */
  get connectedSince(): number | null {
    return this.#link?.openedAt ?? null;
  }

  /** Number of events that the client has not received yet. */
  get unsentEvents(): number {
    return this.#sequence - this.#sent;
  }

  get sequence(): number {
    return this.#sequence;
  }

  wants(intent: number): boolean {
    return (this.intents & intent) !== 0;
  }

  /** The caller ends sessions that use a disabled intent. */
  setPrivileges(on: readonly PrivilegedIntent[]): void {
    this.readsContent = this.#mayReadContent(on);
  }

  #mayReadContent(on: readonly PrivilegedIntent[]): boolean {
    return this.wants(GatewayIntentBits.MessageContent) || (this.version === 9 && on.includes('MESSAGE_CONTENT'));
  }

  isResponsibleFor(guildId: bigint): boolean {
    return this.shard === null || shardOfGuild(guildId, this.shard.count) === this.shard.id;
  }

  dispatch(event: GatewayEvent): void {
    if (this.#ended) return;
    this.#replay.push(event);
    this.#sequence += 1;
    const keepsUp = this.#sent === this.#sequence - 1;
    if (keepsUp && this.#link?.hasCapacity) {
      this.#sent = this.#sequence;
      this.#link.send(event.at(this.#sequence));
    } else {
      this.#unsentBytes += event.size;
      this.#closeIfTooSlow();
    }
    this.#keepWithinBounds();
  }

  attach(link: SessionLink): void {
    this.#expiry?.cancel();
    this.#expiry = null;
    this.#waitsSince = null;
    this.#link = link;
    this.#catchingUp = true;
    this.pump();
  }

  /**
   * The session then waits `RESUME_WINDOW_MS` for a RESUME.
   * @returns false if the session is already on another connection
   */
  detach(link: SessionLink): boolean {
    if (this.#link !== link) return false;
    this.#link = null;
    this.#wait(this.clock.now());
    return true;
  }

  #wait(since: number): void {
    this.#waitsSince = since;
    this.#expiry = this.clock.after(since + RESUME_WINDOW_MS - this.clock.now(), () => this.end());
  }

  /**
   * Sends the events after `sequence`, then `resumed`.
   * @returns `lost` if those events are no longer kept, `ahead` if `sequence` was never sent
   */
  resume(link: SessionLink, sequence: number, resumed: GatewayEvent): 'resumed' | 'lost' | 'ahead' {
    if (sequence < 0 || sequence > this.#sequence) return 'ahead';
    if (this.#ended || sequence < this.#replay.oldest - 1) return 'lost';
    const previous = this.#link;
    this.#link = null;
    previous?.close(closes.movedAway);
    this.#sent = sequence;
    this.#acknowledged = Math.min(this.#acknowledged, sequence);
    this.#unsentBytes = this.#bytesAfter(sequence);
    // `attach` sends the missed events first, because RESUMED may displace the oldest of them.
    this.attach(link);
    this.dispatch(resumed);
    return 'resumed';
  }

  /** Drops only what the previous heartbeat acknowledged, because a client may resume from an earlier number. */
  acknowledge(sequence: number): void {
    if (sequence > this.#sent) return;
    this.#replay.dropThrough(this.#acknowledged);
    this.#acknowledged = Math.max(this.#acknowledged, sequence);
  }

  pump(): void {
    while (this.#link?.hasCapacity && this.#sent < this.#sequence) {
      const event = this.#replay.at(this.#sent + 1);
      if (!event) return;
      this.#sent += 1;
      this.#unsentBytes -= event.size;
      this.#link.send(event.at(this.#sent));
      event.settle();
    }
    if (this.#sent === this.#sequence) this.#catchingUp = false;
    if (this.hasCapacity) this.#wakeRoomWaiters();
  }

  async room(): Promise<void> {
    while (!this.#ended && !this.hasCapacity) {
      await new Promise<void>((resolve) => this.#roomWaiters.push(resolve));
    }
  }

  /** Whether more data may be loaded for the client. */
  get hasCapacity(): boolean {
    return this.#unsentBytes < BACKLOG_LIMIT.bytes / 2;
  }

  get isFarBehind(): boolean {
    const most = this.#link && !this.#catchingUp ? BACKLOG_LIMIT : REPLAY_LIMIT;
    return this.#unsentBytes > most.bytes / 2 || this.#sequence - this.#sent > most.events / 2;
  }

  /** Runs `work` once the session has capacity, in call order. `work` may dispatch many events and must not throw. */
  whenRoom(work: () => void): Promise<void> {
    return this.#roomMutex.run(async () => {
      await this.room();
      work();
    });
  }

  markIntroduced(): void {
    this.#isIntroduced = true;
    this.#markIntroduced();
    this.#markIntroduced = NOTHING;
  }

  /**
   * Runs `task` after earlier tasks of the same queue. `task` handles its own errors.
   * @returns false if too many tasks wait in all queues
   */
  inTurn(task: () => Promise<void>, key: string | null = null): boolean {
    if (this.#waitingTasks === MAX_WAITING_REQUESTS) return false;
    this.#waitingTasks += 1;
    this.#runningTasks += 1;
    this.#tasks ??= new KeyedMutex();
    void this.#tasks.run(key, async () => {
      this.#waitingTasks -= 1;
      if (!this.#ended) await task();
      this.#runningTasks -= 1;
    });
    return true;
  }

  /** Runs `task`, which dispatches. The session leaves this process only afterwards. */
  async dispatching<T>(task: () => Promise<T>): Promise<T> {
    this.#runningTasks += 1;
    try {
      return await task();
    } finally {
      this.#runningTasks -= 1;
    }
  }

  disconnect(close: Close): void {
    this.#link?.close(close);
  }

  end(close?: Close): void {
    if (this.#ended) return;
    this.#endedBy = close;
    const link = this.#link;
    this.#depart('ended');
    if (close) link?.close(close);
  }

  #depart(departure: Departure): void {
    this.#ended = true;
    this.#link = null;
    this.#expiry?.cancel();
    this.#replay.dropThrough(this.#sequence);
    this.#wakeRoomWaiters();
    this.onEnd(this, departure);
  }

  #wakeRoomWaiters(): void {
    const waiters = this.#roomWaiters;
    if (waiters.length === 0) return;
    this.#roomWaiters = [];
    for (const wake of waiters) wake();
  }

  #closeIfTooSlow(): void {
    if (this.#catchingUp || !this.#link) return;
    const waiting = this.#sequence - this.#sent;
    if (this.#unsentBytes > BACKLOG_LIMIT.bytes || waiting > BACKLOG_LIMIT.events) this.#link.close(closes.notReading);
  }

  #keepWithinBounds(): void {
    while (this.#replay.length > REPLAY_LIMIT.events || this.#replay.bytes > REPLAY_LIMIT.bytes) {
      if (this.#replay.oldest > this.#sent) {
        this.end(closes.notReading);
        return;
      }
      this.#replay.dropThrough(this.#replay.oldest);
    }
  }

  #bytesAfter(sequence: number): number {
    let bytes = 0;
    for (let at = sequence + 1; at <= this.#sequence; at += 1) bytes += this.#replay.at(at)?.size ?? 0;
    return bytes;
  }
}
