import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../infra/clock.js';
import type { Logger } from '../../infra/observability/logger.js';
import { type Close, closes, isPermanent } from '../protocol/closes.js';
import type { Outlet, Receiver } from '../protocol/link.js';
import { BackOff, seconds } from './back-off.js';
import { Connection } from './connection.js';
import type { EventFeed } from './event-feed.js';
import type { Welcome } from './greeting.js';
import type { BoxIdentity } from './identity.js';
import { describeDialFault, relayUrl } from './origins.js';
import { describeRefusal } from './refusals.js';
import type { Work } from './work.js';

/** See `dialRelay`. */
export type Dial = (url: string, serve: (outlet: Outlet) => Receiver, onFailed: (error: Error) => void) => () => void;

export interface UplinkParts {
  identity: BoxIdentity;
  work: Work;
  feed: EventFeed;
  clock: Clock;
  log: Logger;
  dial: Dial;
  /** Like `Math.random`. */
  random: () => number;
  /** The reason says what the operator must do. */
  onRefused(reason: string): void;
}

/** After a connection was given up during its greeting, the cloud may still admit it for this long. */
const UNSURE_MS = 60_000;

/** Random variation of waits that the cloud requests, as a fraction. */
const GIVE_OR_TAKE = 0.25;

/**
 * Keeps a box connected (docs/relay.md, R-40, R-41). A connection that the cloud is about to close finishes open work
 * while the next one serves.
 */
export class Uplink {
  readonly #instance = randomUUID();
  readonly #backOff: BackOff;
  /** Includes connections that only finish open work. */
  readonly #open = new Set<Connection>();
  #current: Connection | null = null;
  /** When the current connection began to serve, in milliseconds since the Unix epoch; null if none serves. */
  #servesSince: number | null = null;
  #waiting: Timer | null = null;
  #giveUpDialling: (() => void) | null = null;
  #isOver = false;
  /** Until then, a given-up connection may be admitted, in milliseconds since the Unix epoch. */
  #unsureUntil = 0;

  constructor(private readonly parts: UplinkParts) {
    this.#backOff = new BackOff(parts.clock, parts.random);
  }

  get isConnected(): boolean {
    return this.#servesSince !== null;
  }

  start(): void {
    this.#dial();
  }

  pump(): void {
    this.#current?.pump();
  }

  /** Reconnects, because the event session has ended. */
  restart(): void {
    this.#current?.end(closes.tooSlow);
  }

  async drain(): Promise<void> {
    this.#isOver = true;
    this.#waiting?.cancel();
    this.#giveUpDialling?.();
    await Promise.all([...this.#open].map((connection) => connection.leave()));
  }

  #dial(): void {
    const { identity, log, dial } = this.parts;
    this.#waiting = null;
    log.debug(`Connecting to ${identity.cloudUrl}`);
    this.#giveUpDialling = dial(
      relayUrl(identity.cloudUrl),
      (outlet) => this.#greet(outlet),
      (error) => this.#lost(describeDialFault(error)),
    );
  }

  #greet(outlet: Outlet): Receiver {
    this.#giveUpDialling = null;
    const { identity, work, feed, clock, log } = this.parts;
    const connection: Connection = new Connection(outlet, {
      identity,
      token: null,
      instance: this.#instance,
      clock,
      log,
      services: { work, feed },
      events: {
        onWelcome: (welcome) => this.#welcomed(connection, welcome),
        onGoingAway: (retryAfterMs) => this.#goneSoon(connection, retryAfterMs),
        onClosed: (close) => this.#closed(connection, close),
      },
    });
    this.#open.add(connection);
    this.#current = connection;
    return connection.link;
  }

  #welcomed(connection: Connection, { name, generation }: Welcome): void {
    if (connection !== this.#current) return;
    this.#servesSince = this.parts.clock.now();
    this.parts.log.info({ generation }, `Connected to ${this.parts.identity.cloudUrl} as "${name}"`);
  }

  #goneSoon(connection: Connection, retryAfterMs: number): void {
    if (connection !== this.#current) return;
    this.#current = null;
    this.#noteServed();
    const { random, log, identity } = this.parts;
    const wait = retryAfterMs * (1 + GIVE_OR_TAKE * (2 * random() - 1));
    log.info(`${identity.cloudUrl} is going away; reconnecting in ${seconds(wait)} s`);
    this.#dialAfter(wait);
  }

  #closed(connection: Connection, close: Close): void {
    this.#open.delete(connection);
    if (connection !== this.#current) return;
    this.#current = null;
    const { clock } = this.parts;
    const isReplacedByOwn = close.code === closes.replaced.code && clock.now() < this.#unsureUntil;
    if (this.#servesSince === null) this.#unsureUntil = clock.now() + UNSURE_MS;
    this.#noteServed();
    if (isPermanent(close.code) && !isReplacedByOwn) this.#refused(close);
    else this.#lost(close.reason === '' ? `connection lost (${close.code})` : `${close.reason} (${close.code})`);
  }

  #refused(close: Close): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.parts.onRefused(describeRefusal(close, this.parts.identity));
  }

  #lost(reason: string): void {
    this.#giveUpDialling = null;
    if (this.#isOver) return;
    const wait = this.#backOff.next();
    this.parts.log.warn(`No connection to ${this.parts.identity.cloudUrl}: ${reason}; retrying in ${seconds(wait)} s`);
    this.#dialAfter(wait);
  }

  #noteServed(): void {
    if (this.#servesSince !== null) this.#backOff.noteServed(this.#servesSince);
    this.#servesSince = null;
  }

  #dialAfter(ms: number): void {
    if (this.#isOver) return;
    this.#waiting?.cancel();
    this.#waiting = this.parts.clock.after(ms, () => this.#dial());
  }
}
