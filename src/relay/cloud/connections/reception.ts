import type { AppContext } from '../../../context.js';
import { admitBox, connectBox } from '../../../domain/boxes/index.js';
import { DomainError, refusalIn } from '../../../domain/errors.js';
import { yieldToEventLoop } from '../../../infra/concurrency/event-loop.js';
import type { Release } from '../../../infra/concurrency/semaphore.js';
import { type Close, closes } from '../../protocol/closes.js';
import { Link, type Outlet, type Receiver } from '../../protocol/link.js';
import { BoxMessage, type FromBox, type ToBox } from '../../protocol/messages.js';
import type { CloudBotDirectory } from '../cloud-bot-directory.js';
import { EventsIntake } from '../events/events-intake.js';
import { publishUnavailable } from './absences.js';
import type { BoxesHere } from './boxes-here.js';
import { type Admitted, BoxConnection } from './connection.js';
import { Greeting, type Proved } from './greeting.js';
import type { ResponseQuota } from './response-quota.js';
import { MAX_ANSWER_BYTES, MAX_REQUESTS } from './streams.js';

/** Bytes of bodies, per stream and per connection (docs/relay.md, R-22). */
const CREDIT = { stream: 512 * 1024, box: 4 * 1024 * 1024 };

/** The greeting at first, then the box's connection. */
interface Listener {
  /** @param bytes size of the message's text */
  hear(message: FromBox, bytes: number): void;
  ended(close: Close): void;
  lost(why: Close): void;
}

const NOBODY: Listener = { hear() {}, ended() {}, lost() {} };

/** A connection whose box is not yet known. */
interface Visit {
  link: Link<FromBox, ToBox>;
  listener: Listener;
  /** Stops counting it as unauthenticated. */
  release: Release;
}

export interface ReceptionParts {
  app: AppContext;
  here: BoxesHere;
  bots: CloudBotDirectory;
  quota: ResponseQuota;
  /** Resolves when other processes can reach this one's boxes. */
  untilReachable(): Promise<void>;
}

/** See docs/relay.md, R-10 to R-16. */
export class Reception {
  readonly #visits = new Set<Visit>();
  #isClosed = false;

  constructor(private readonly parts: ReceptionParts) {}

  serve(outlet: Outlet, release: Release): Receiver {
    const { app } = this.parts;
    const events = {
      onMessage: (message: FromBox, bytes: number) => visit.listener.hear(message, bytes),
      onEnded: (close: Close) => visit.listener.ended(close),
      onClosed: (code: number, reason: string) => {
        this.#leave(visit);
        visit.listener.lost({ code, reason });
      },
    };
    const link = new Link<FromBox, ToBox>({
      outlet,
      clock: app.connectionClock,
      log: app.log,
      schema: BoxMessage,
      events,
    });
    const visit: Visit = { link, listener: NOBODY, release };
    const greeting = new Greeting({
      clock: app.connectionClock,
      origin: app.addresses.publicUrl,
      send: (message) => link.send(message),
      onProved: (proved) => void this.#admit(visit, proved),
      onRefused: (close) => link.end(close),
    });
    visit.listener = { ...NOBODY, hear: (message) => greeting.hear(message), lost: () => greeting.end() };
    this.#visits.add(visit);
    if (this.#isClosed) link.end(closes.goingAway);
    return link;
  }

  close(): void {
    this.#isClosed = true;
    for (const { link } of this.#visits) link.end(closes.goingAway);
  }

  #leave(visit: Visit): void {
    this.#visits.delete(visit);
    visit.release();
  }

  async #admit(visit: Visit, proved: Proved): Promise<void> {
    // A box must send nothing before the welcome.
    visit.listener = { ...NOBODY, hear: () => visit.link.end(closes.unusable) };
    // Many boxes may connect at once, such as after a restart, and each blocks the event loop for a moment.
    await yieldToEventLoop();
    if (!visit.link.isOpen) return;
    try {
      const close = await this.#connect(visit, proved);
      if (close) visit.link.end(close);
    } catch (error) {
      if (!refusalIn(error)) this.parts.app.log.error({ err: error }, 'Could not admit a box');
      visit.link.end(closeFor(error));
    }
  }

  /** @returns why the connection is refused, or null */
  async #connect(visit: Visit, { key, token, idSpace: wanted, version, software }: Proved): Promise<Close | null> {
    const { app, here, untilReachable } = this.parts;
    const known = await admitBox(app.callOfNobody(), { key, token, idSpace: wanted });
    if (!known) {
      app.log.info({ key, hasToken: token !== undefined }, 'Refused a box: neither its key nor its token is valid');
      return closes.notAdmitted;
    }
    await untilReachable();
    if (!this.#isThere(visit)) return closes.goingAway;
    const box = await connectBox(app.callOfNobody(), known.id, { protocolVersion: String(version) });
    if (box.publicKey !== key || !this.#isThere(visit)) {
      await here.goOnWithout(box);
      return box.publicKey === key ? closes.unavailable : closes.notAdmitted;
    }
    const before = here.get(box.id);
    if (before && before.generation > box.generation) return closes.replaced;
    // The last processed event is known only after processing has stopped.
    await here.stopEvents(box.id);
    const { id: boxId, generation, name, idSpace } = box;
    if (!this.#isThere(visit) || idSpace === null) {
      before?.end(closes.unavailable);
      await here.disconnect({ boxId, generation });
      return closes.unavailable;
    }
    this.#welcome(visit, { boxId, generation, key, version, software, name, idSpace });
    return null;
  }

  #isThere({ link }: Visit): boolean {
    return link.isOpen && !this.#isClosed;
  }

  #welcome(visit: Visit, box: Admitted & { name: string; idSpace: number }): void {
    const { app, here, bots, quota } = this.parts;
    const { link } = visit;
    const { boxId, generation, name, idSpace } = box;
    const session = here.sessionOf(boxId);
    const intake = new EventsIntake({
      app,
      boxId,
      idSpace,
      bots,
      session,
      send: (message) => link.send(message),
      end: (close) => link.end(close),
      onBegin: async (begun) => {
        here.noteSession(boxId, begun);
        await publishUnavailable(app, boxId);
      },
    });
    const onLost = (_: BoxConnection, why: Close) => void here.lose(connection, why);
    const connection = new BoxConnection({ app, admitted: box, link, intake, quota: quota, bots, onLost });
    visit.listener = connection;
    this.#leave(visit);
    link.send({
      op: 'welcome',
      box_id: String(boxId),
      name,
      id_space: idSpace,
      generation,
      limits: {
        requests: MAX_REQUESTS,
        stream_credit: CREDIT.stream,
        box_credit: CREDIT.box,
        answer_bytes: MAX_ANSWER_BYTES,
      },
      events: session && { session: session.name, seq: session.seq },
    });
    link.allow({ streamCredit: CREDIT.stream, boxCredit: CREDIT.box });
    here.add(connection);
    const { version, software } = box;
    app.log.info({ boxId: String(boxId), generation, version, software }, 'Box connected');
  }
}

function closeFor(error: unknown): Close {
  if (!(error instanceof DomainError)) return closes.unavailable;
  if (error.kind === 'notFound') return closes.deleted;
  return error.code === 'CONFLICT' ? closes.notOwnId : closes.unavailable;
}
