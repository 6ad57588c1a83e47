import { GatewayIntentBits } from 'discord-api-types/v10';
import type { AuthenticatedBot, PrivilegedIntent } from '../domain/applications/index.js';
import type { Clock, Timer } from '../infra/clock.js';
import type { User } from '../infra/database/index.js';
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

/** The session's place among those who hear of a guild. */
export interface GuildSeat {
  detach(): void;
}

/** The connection a session is on at the moment. */
export interface SessionLink {
  /** Whether more may be sent before the client falls behind. */
  readonly hasRoom: boolean;
  send(payload: Payload): void;
  close(close: Close): void;
}

export interface Shard {
  id: number;
  count: number;
}

/** What a client fixes when it identifies. */
export interface SessionTerms {
  id: string;
  bot: AuthenticatedBot;
  version: GatewayVersion;
  intents: number;
  /** Null when the client did not ask for sharding. */
  shard: Shard | null;
  largeThreshold: number;
  presence: PresenceUpdate | null;
}

/**
 * What outlives a connection: the sequence of events and the part of it the client may still ask for.
 *
 * Every event is first put into the replay buffer, then sent from it: at once while the client keeps up, or when the socket
 * has room again. So what waits for a slow client, what a RESUME repeats and what arrives meanwhile are one queue, and the
 * events in it are shared between sessions.
 */
export class Session {
  readonly id: string;
  readonly bot: AuthenticatedBot;
  readonly botId: bigint;
  /** The bot's own user, as it was last read. */
  user: User;
  readonly version: GatewayVersion;
  readonly intents: number;
  /** Whether it is sent the content of messages that are neither its own nor for it (docs/gateway.md, G-15). */
  readsContent: boolean;
  readonly shard: Shard | null;
  readonly largeThreshold: number;
  presence: PresenceUpdate | null;
  /** How often what it says is told. */
  readonly presencePace: Pace;

  /** The guilds whose events it gets, by id. */
  readonly guilds = new Map<bigint, GuildSeat>();
  /** The guilds that its client was shown as unavailable, and neither whole nor as left since. */
  readonly unavailableGuilds = new Set<bigint>();
  /** Settles when READY and the guilds in it were dispatched. */
  readonly introduced: Promise<void>;

  readonly #replay = new ReplayBuffer();
  #sequence = 0;
  #sent = 0;
  #unsentBytes = 0;
  #acknowledged = 0;
  /** Whether the client is being brought up to date, after IDENTIFY or RESUME; it may lag further then. */
  #catchingUp = true;
  #link: SessionLink | null = null;
  #expiry: Timer | null = null;
  #ended = false;
  #endedBy: Close | undefined;
  #roomWaiters: (() => void)[] = [];
  #markIntroduced: () => void = () => {};
  #roomLine = Promise.resolve();
  /** The last task of each line that has one. */
  readonly #tasks = new Map<string | null, Promise<void>>();
  #waitingTasks = 0;

  constructor(
    private readonly clock: Clock,
    terms: SessionTerms,
    private readonly onEnd: (session: Session) => void,
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
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** What the session was ended with, where that is told to a client. */
  get endedBy(): Close | undefined {
    return this.#endedBy;
  }

  get connected(): boolean {
    return this.#link !== null;
  }

  /** The number of the latest event. */
  get sequence(): number {
    return this.#sequence;
  }

  wants(intent: number): boolean {
    return (this.intents & intent) !== 0;
  }

  /** The application has these privileged intents switched on from now on. It does not say whether the session may go on with its own. */
  setPrivileges(on: readonly PrivilegedIntent[]): void {
    this.readsContent = this.#mayReadContent(on);
  }

  #mayReadContent(on: readonly PrivilegedIntent[]): boolean {
    return this.wants(GatewayIntentBits.MessageContent) || (this.version === 9 && on.includes('MESSAGE_CONTENT'));
  }

  isResponsibleFor(guildId: bigint): boolean {
    return this.shard === null || shardOfGuild(guildId, this.shard.count) === this.shard.id;
  }

  /** Gives the event its number and sends it as soon as the client can take it. */
  dispatch(event: GatewayEvent): void {
    if (this.#ended) return;
    this.#replay.push(event);
    this.#sequence += 1;
    const keepsUp = this.#sent === this.#sequence - 1;
    if (keepsUp && this.#link?.hasRoom) {
      this.#sent = this.#sequence;
      this.#link.send(event.at(this.#sequence));
    } else {
      this.#unsentBytes += event.size;
      this.#closeIfTooSlow();
    }
    this.#keepWithinBounds();
  }

  /** Puts the session on a connection. */
  attach(link: SessionLink): void {
    this.#expiry?.cancel();
    this.#expiry = null;
    this.#link = link;
    this.#catchingUp = true;
    this.pump();
  }

  /**
   * The connection is gone; the session waits for a RESUME, for a while.
   * @returns false when the session was on another connection already
   */
  detach(link: SessionLink): boolean {
    if (this.#link !== link) return false;
    this.#link = null;
    this.#expiry = this.clock.after(RESUME_WINDOW_MS, () => this.end());
    return true;
  }

  /**
   * Moves the session to `link` and repeats what came after `sequence`, followed by `resumed`.
   * @returns `lost` when that is not kept any more
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
    // Before RESUMED, which may take the place of the oldest that is kept: what is repeated has been sent by then.
    this.attach(link);
    this.dispatch(resumed);
    return 'resumed';
  }

  /** The client has everything up to `sequence`. It is kept until the next heartbeat, for a client that resumes from earlier. */
  acknowledge(sequence: number): void {
    if (sequence > this.#sent) return;
    this.#replay.dropThrough(this.#acknowledged);
    this.#acknowledged = Math.max(this.#acknowledged, sequence);
  }

  /** Sends what waits, as far as the socket has room. */
  pump(): void {
    while (this.#link?.hasRoom && this.#sent < this.#sequence) {
      const event = this.#replay.at(this.#sent + 1);
      if (!event) return;
      this.#sent += 1;
      this.#unsentBytes -= event.size;
      this.#link.send(event.at(this.#sent));
      event.settle();
    }
    if (this.#sent === this.#sequence) this.#catchingUp = false;
    if (this.hasRoom) this.#wakeRoomWaiters();
  }

  /** Settles when the client is close enough behind for more to be loaded for it, or the session has ended. */
  async room(): Promise<void> {
    while (!this.#ended && !this.hasRoom) {
      await new Promise<void>((resolve) => this.#roomWaiters.push(resolve));
    }
  }

  /** Whether the client is close enough behind for more to be loaded for it. */
  get hasRoom(): boolean {
    return this.#unsentBytes < BACKLOG_LIMIT.bytes / 2;
  }

  /** Whether half of what may wait for its client waits. */
  get isFarBehind(): boolean {
    const most = this.#link && !this.#catchingUp ? BACKLOG_LIMIT : REPLAY_LIMIT;
    return this.#unsentBytes > most.bytes / 2 || this.#sequence - this.#sent > most.events / 2;
  }

  /** Does `work`, which dispatches much at once and does not fail, once there is room for it: one after the other, as they came. */
  whenRoom(work: () => void): Promise<void> {
    this.#roomLine = this.#roomLine.then(() => this.room()).then(work);
    return this.#roomLine;
  }

  markIntroduced(): void {
    this.#markIntroduced();
  }

  /**
   * Runs `task`, which handles its own faults, after those handed over earlier for the same line.
   * @returns false when too many wait already, in all lines
   */
  inTurn(task: () => Promise<void>, line: string | null = null): boolean {
    if (this.#waitingTasks === MAX_WAITING_REQUESTS) return false;
    this.#waitingTasks += 1;
    const before = this.#tasks.get(line) ?? Promise.resolve();
    const done = before.then(() => {
      this.#waitingTasks -= 1;
      return this.#ended ? undefined : task();
    });
    this.#tasks.set(line, done);
    void done.then(() => this.#tasks.get(line) === done && this.#tasks.delete(line));
    return true;
  }

  /** Closes the connection, if there is one. */
  disconnect(close: Close): void {
    this.#link?.close(close);
  }

  /** Ends the session for good, with `close` for the client when it is connected. */
  end(close?: Close): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#endedBy = close;
    this.#expiry?.cancel();
    this.#replay.dropThrough(this.#sequence);
    const link = this.#link;
    this.#link = null;
    if (close) link?.close(close);
    this.#wakeRoomWaiters();
    this.onEnd(this);
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
