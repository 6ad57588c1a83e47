import type { Clock } from '../../infra/clock.js';
import type { Logger } from '../../infra/observability/logger.js';
import { because, type Close, closes } from '../protocol/closes.js';
import { Link, type Outlet } from '../protocol/link.js';
import { CloudMessage, type FromCloud } from '../protocol/messages.js';
import type { EventFeed } from './event-feed.js';
import { EventSender } from './event-sender.js';
import { Greeting, type Welcome } from './greeting.js';
import type { BoxIdentity } from './identity.js';
import { type CloudLink, Serving } from './serving.js';
import type { Work } from './work.js';

export interface ConnectionParts {
  identity: BoxIdentity;
  token: string | null;
  instance: string;
  clock: Clock;
  log: Logger;
  /** Null if the connection only enrols the box. */
  services: { work: Work; feed: EventFeed } | null;
  events: ConnectionEvents;
}

export interface ConnectionEvents {
  onWelcome(welcome: Welcome): void;
  /** @param retryAfterMs wait before the next connection */
  onGoingAway(retryAfterMs: number): void;
  /** Has the code of the end that closed first. */
  onClosed(close: Close): void;
}

interface Service {
  serving: Serving;
  sender: EventSender;
}

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

  pump(): void {
    this.#service?.sender.pump();
  }

  end(close: Close): void {
    this.link.end(close);
  }

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

  /** Open requests continue (docs/relay.md, R-40). */
  #retire(retryAfterMs: number): void {
    this.#service?.sender.stop();
    this.parts.events.onGoingAway(retryAfterMs);
  }
}
