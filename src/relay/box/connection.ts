import type { Clock } from '../../infra/clock.js';
import type { Logger } from '../../infra/logger.js';
import { because, type Close, closes } from '../protocol/closes.js';
import { Link, type Outlet } from '../protocol/link.js';
import { CloudMessage, type FromCloud } from '../protocol/messages.js';
import type { EventFeed } from './event-feed.js';
import { EventSender } from './event-sender.js';
import { Greeting, type Welcome } from './greeting.js';
import type { BoxIdentity } from './identity.js';
import { type CloudLink, Serving } from './serving.js';
import type { Work } from './work.js';

/** What a connection is made of. */
export interface ConnectionParts {
  identity: BoxIdentity;
  token: string | null;
  /** Names this run of the box. */
  instance: string;
  clock: Clock;
  log: Logger;
  /** Null for a connection that is for the enrolment only. */
  services: { work: Work; feed: EventFeed } | null;
  events: ConnectionEvents;
}

export interface ConnectionEvents {
  onWelcome(welcome: Welcome): void;
  /** The cloud is about to close it. @param retryAfterMs when to dial again */
  onGoingAway(retryAfterMs: number): void;
  /** It is gone, with the code of whichever end closed it first. */
  onClosed(close: Close): void;
}

/** What there is once a connection was welcomed. */
interface Service {
  serving: Serving;
  sender: EventSender;
}

/** One connection to the cloud: greeted, then served (docs/relay.md). */
export class Connection {
  readonly link: CloudLink;
  readonly #greeting: Greeting;
  #isGreeted = false;
  #service: Service | null = null;

  constructor(
    outlet: Outlet,
    private readonly parts: ConnectionParts,
  ) {
    const { clock, log, events } = parts;
    this.link = new Link({
      outlet,
      clock,
      log,
      schema: CloudMessage,
      events: {
        onMessage: (message) => this.#heed(message),
        onClosed: (code, reason) => {
          this.#greeting.cancel();
          this.#service?.sender.stop();
          this.#service?.serving.stop();
          events.onClosed({ code, reason });
        },
      },
    });
    this.#greeting = new Greeting({
      ...parts,
      send: (message) => this.link.send(message),
      end: (close) => this.link.end(close),
    });
    this.#greeting.begin();
  }

  /** Sends what is new in the log of events. */
  pump(): void {
    this.#service?.sender.pump();
  }

  /** Closes it, so that another one begins. */
  end(close: Close): void {
    this.link.end(close);
  }

  /** Takes nothing new, finishes what is open, and closes. */
  async leave(): Promise<void> {
    if (this.#service) {
      this.link.send({ op: 'going_away', retry_after_ms: 0 });
      await this.#service.serving.idle();
    }
    this.link.end(closes.goingAway);
  }

  #heed(message: FromCloud): void {
    if (message.op === 'going_away') this.#retire(message.retry_after_ms);
    else if (!this.#isGreeted) this.#greet(message);
    else if (this.#service) this.#serve(this.#service, message);
  }

  #greet(message: FromCloud): void {
    const welcome = this.#greeting.heed(message);
    if (!welcome) return;
    this.#isGreeted = true;
    this.parts.events.onWelcome(welcome);
    if (this.parts.services) this.#service = this.#begin(this.parts.services, welcome);
  }

  #begin({ work, feed }: { work: Work; feed: EventFeed }, { limits, events }: Welcome): Service {
    const { link, parts } = this;
    link.allow({ streamCredit: limits.stream_credit, boxCredit: limits.box_credit });
    const send = link.send.bind(link);
    const serving = new Serving({ ...parts, link, work, answerBytes: limits.answer_bytes, requests: limits.requests });
    if (events && feed.log.canResume(events.session, events.seq)) {
      feed.log.acknowledge(events.seq);
      link.send({ op: 'resume', session: events.session });
      const sender = new EventSender(feed.log, send, events.seq);
      sender.pump();
      return { serving, sender };
    }
    link.send({ op: 'begin', session: feed.begin() });
    return { serving, sender: new EventSender(feed.log, send, 0) };
  }

  #serve({ serving, sender }: Service, message: FromCloud): void {
    switch (message.op) {
      case 'request':
      case 'call':
        serving.begin(message);
        break;
      case 'cancel':
        serving.cancel(message.id);
        break;
      case 'ack':
        sender.acknowledge(message.s);
        break;
      case 'challenge':
      case 'welcome':
        this.end(because(closes.unusable, `${message.op} after the greeting`));
    }
  }

  /** Nothing new is sent over it, and what is open goes on. */
  #retire(retryAfterMs: number): void {
    this.#service?.sender.stop();
    this.parts.events.onGoingAway(retryAfterMs);
  }
}
