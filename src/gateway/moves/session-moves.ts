import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { claimMove, findAbandonedMoves, releaseMove } from '../../domain/session-moves.js';
import { isDoneWithin } from '../../infra/concurrency/timeouts.js';
import type { Bus } from '../../infra/processes/bus.js';
import { controls } from '../control.js';
import type { Gateway, Moves } from '../gateway.js';
import { closes } from '../protocol.js';
import type { Session } from '../session.js';
import { arrive } from './arrivals.js';
import { depart, findSilentClocks, isReady, type SilentClocks } from './departures.js';

/** Messages between the processes of an instance. */
export type MoveMessage =
  | { type: 'WHO_TAKES_SESSIONS'; from: string }
  | { type: 'TAKES_SESSIONS'; from: string; processId: string; sessions: number }
  | { type: 'SESSIONS_LEFT'; from: string; moveId: string }
  | { type: 'SESSIONS_ARRIVED' | 'SESSIONS_REFUSED'; moveId: string }
  | { type: 'SESSION_WANTED'; from: string; requestId: string; processId: string; sessionId: string; botId: string }
  | { type: 'SESSION_IS_NOT_HERE'; requestId: string; isMoving: boolean };

/** All processes hear this topic. */
const EVERYBODY = 'gateway';

const ownTopic = (id: string) => `gateway:${id}`;

/** How long answers of other processes may take. */
const ANSWERS_WITHIN_MS = 1_000;

/** How long a RESUME waits for its session. */
const FETCH_WITHIN_MS = 4_000;

/** A session on its way is asked for again after this time. */
const ASK_AGAIN_MS = 100;

/** How long a process remembers which sessions have left it. */
const REMEMBERED_MS = 10_000;

const ARRIVED_WITHIN_MS = 3_000;

/** A stop moves so many sessions at a time, and in a second, so that their clients do not all reconnect at once. */
const MOST_MOVED = { together: 100, bytesTogether: 16 * 1024 * 1024, perSecond: 2_000 };

/** How long busy sessions may stay, and how often they are looked at. */
const SETTLE = { withinMs: 1_500, everyMs: 20 };

const TAKE_IN_FAILED = 'Could not take in gateway sessions; their bots identify again';
const RELEASE_FAILED = 'Could not release gateway sessions that no process took; their bots identify again';

interface Peer {
  id: string;
  processId: string;
  sessions: number;
}

/** Moves gateway sessions between processes. The process that deletes the row of a move has its sessions. */
export class SessionMoves implements Moves {
  readonly #id = randomUUID();
  readonly #arriving = new Set<Promise<void>>();
  /** Sessions that are leaving (null), or whose arrival is not known yet, by their moves. */
  readonly #departed = new Map<string, string | null>();
  /** Sessions that another process gets as soon as they are ready. */
  readonly #leaving = new WeakSet<Session>();
  /** The newest connection that waits for each session. */
  readonly #applicants = new Map<string, object>();
  #takingInAbandoned: Promise<void> | null = null;
  #isLeaving = false;
  readonly #listeners = new Set<(message: MoveMessage) => void>();

  /** @param bus null in a set-up of one process */
  constructor(
    private readonly gateway: Gateway,
    private readonly bus: Bus<MoveMessage> | null,
  ) {}

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  async prepare(): Promise<void> {
    const hear = (message: MoveMessage) => this.#hear(message);
    await Promise.all([EVERYBODY, ownTopic(this.#id)].map((topic) => this.bus?.subscribe(topic, hear).ready));
    await this.#takeInAbandoned();
  }

  async leave(until: number): Promise<void> {
    this.#isLeaving = true;
    const { sessions, app } = this.gateway;
    await isDoneWithin(SETTLE.withinMs, Promise.allSettled(this.#arriving));
    const peers = await this.#findPeers();
    const isLast = peers.length === 0 && sessions.size > 0;
    if (isLast) await isDoneWithin(SETTLE.withinMs, app.writes.refuseEvents());
    const areStored = await this.#leaveInWaves(peers, until);
    if (!isLast && !areStored) return;
    await app.live
      .endButKeepRows()
      .catch((error: unknown) => app.log.error({ err: error }, 'Could not end the heartbeat of this process'));
  }

  /** @returns whether the database has some of the sessions, because no other process took them */
  async #leaveInWaves(peers: Peer[], until: number): Promise<boolean> {
    const { sessions } = this.gateway;
    const silentClocks = await findSilentClocks(this.gateway, sessions.values());
    const settleUntil = Math.min(performance.now() + SETTLE.withinMs, until);
    let areStored = false;
    while (sessions.size > 0) {
      const startedAt = performance.now();
      const isLate = startedAt >= settleUntil;
      const wave = this.#nextWave(isLate);
      if (wave.length > 0) areStored = !(await this.#move(wave, silentClocks, peers)) || areStored;
      const spentMs = performance.now() - startedAt;
      const paceMs = wave.length === 0 ? SETTLE.everyMs : (wave.length / MOST_MOVED.perSecond) * 1_000 - spentMs;
      if (paceMs > 0 && !isLate) await setTimeout(paceMs);
    }
    return areStored;
  }

  #nextWave(areAllTaken: boolean): Session[] {
    const wave: Session[] = [];
    let bytes = 0;
    for (const session of this.gateway.sessions.values()) {
      if (!areAllTaken && !isReady(this.gateway, session)) continue;
      wave.push(session);
      bytes += session.keptBytes;
      if (wave.length === MOST_MOVED.together || bytes >= MOST_MOVED.bytesTogether) break;
    }
    return wave;
  }

  /**
   * @param peers those that refuse are removed
   * @returns false if the sessions are in the database, for a later process
   */
  async #move(wave: readonly Session[], silentClocks: SilentClocks, peers: Peer[]): Promise<boolean> {
    const { app } = this.gateway;
    const [peer] = peers.toSorted((one, other) => one.sessions - other.sessions);
    if (peer) peer.sessions += wave.length;
    for (const { id } of wave) this.#remember(id);
    const { moveId, count, links } = await depart(this.gateway, wave, silentClocks, peer?.processId ?? null);
    const isTaken = moveId !== null && peer !== undefined && (await this.#handTo(peer.id, moveId));
    if (moveId !== null && peer && !isTaken) {
      peers.splice(peers.indexOf(peer), 1);
      await this.#release(moveId);
    }
    for (const link of links) link.send(controls.reconnect);
    app.metrics.gatewayMoves.inc({ outcome: isTaken ? 'left' : 'stored' }, count);
    app.metrics.gatewayMoves.inc({ outcome: 'lost' }, wave.length - count);
    return isTaken || moveId === null;
  }

  /** Lets any process take a move that its target does not take. Never rejects. */
  async #release(moveId: string): Promise<void> {
    const { app } = this.gateway;
    try {
      await releaseMove(app.callOfNobody(), moveId);
    } catch (error) {
      app.log.error({ err: error }, RELEASE_FAILED);
    }
  }

  async #handTo(peerId: string, moveId: string): Promise<boolean> {
    let isTaken = false;
    const answered = this.#answer((message) => {
      const isAnswer = message.type === 'SESSIONS_ARRIVED' || message.type === 'SESSIONS_REFUSED';
      if (!isAnswer || message.moveId !== moveId) return false;
      isTaken = message.type === 'SESSIONS_ARRIVED';
      return true;
    });
    const heard = await this.bus
      ?.ask(ownTopic(peerId), { type: 'SESSIONS_LEFT', from: this.#id, moveId })
      .catch(() => 0);
    await answered.within(heard === 0 ? 0 : ARRIVED_WITHIN_MS);
    return isTaken;
  }

  #remember(sessionId: string): void {
    this.#departed.set(sessionId, null);
    this.gateway.app.clock.after(REMEMBERED_MS, () => this.#departed.delete(sessionId));
  }

  async #findPeers(): Promise<Peer[]> {
    const peers: Peer[] = [];
    if (!this.bus) return peers;
    let expected = Number.POSITIVE_INFINITY;
    const all = this.#answer((message) => {
      if (message.type === 'TAKES_SESSIONS')
        peers.push({ id: message.from, processId: message.processId, sessions: message.sessions });
      return peers.length >= expected;
    });
    expected = await this.bus.ask(EVERYBODY, { type: 'WHO_TAKES_SESSIONS', from: this.#id }).catch(() => 0);
    await all.within(peers.length < expected ? ANSWERS_WITHIN_MS : 0);
    return peers;
  }

  async fetch(sessionId: string, botId: bigint, applicant: { readonly isClosed: boolean }): Promise<boolean> {
    this.#applicants.set(sessionId, applicant);
    const isNewest = () => this.#applicants.get(sessionId) === applicant;
    await this.#fetch(sessionId, botId, () => isNewest() && !applicant.isClosed);
    const isLast = isNewest();
    if (isLast) this.#applicants.delete(sessionId);
    return isLast;
  }

  async #fetch(sessionId: string, botId: bigint, isWanted: () => boolean): Promise<void> {
    const { sessions, app } = this.gateway;
    const until = performance.now() + FETCH_WITHIN_MS;
    while (!this.#isLeaving && isWanted() && !sessions.has(sessionId) && performance.now() < until) {
      const isMoving = (await this.#ask(sessionId, botId)) || this.#departed.has(sessionId);
      await Promise.all(this.#arriving);
      if (this.bus && !sessions.has(sessionId)) await this.#takeInAbandoned();
      if (sessions.has(sessionId) || !(isMoving || app.degraded().includes('redis'))) break;
      await setTimeout(ASK_AGAIN_MS);
    }
  }

  /** @returns whether the session is on its way somewhere */
  async #ask(sessionId: string, botId: bigint): Promise<boolean> {
    if (!this.bus) return false;
    let expected = Number.POSITIVE_INFINITY;
    let answers = 0;
    let isMoving = false;
    const requestId = randomUUID();
    const settled = this.#answer((message) => {
      if (message.type === 'SESSIONS_LEFT') isMoving = true;
      if (isMoving) return true;
      if (message.type !== 'SESSION_IS_NOT_HERE' || message.requestId !== requestId) return false;
      answers += 1;
      isMoving ||= message.isMoving;
      return answers >= expected;
    });
    const { id: processId } = this.gateway.app.live;
    const wanted = { requestId, sessionId, botId: String(botId), from: this.#id, processId };
    expected = await this.bus.ask(EVERYBODY, { type: 'SESSION_WANTED', ...wanted }).catch(() => 0);
    const isLate = !(await settled.within(answers < expected ? ANSWERS_WITHIN_MS : 0));
    if (answers < expected && isLate) isMoving = true;
    return isMoving;
  }

  /** Calls in the meantime share one run. */
  #takeInAbandoned(): Promise<void> {
    this.#takingInAbandoned ??= this.#claimAbandoned().finally(() => {
      this.#takingInAbandoned = null;
    });
    return this.#takingInAbandoned;
  }

  async #claimAbandoned(): Promise<void> {
    const { app } = this.gateway;
    try {
      for (const id of await findAbandonedMoves(app.callOfNobody())) {
        if (!this.#isLeaving) await this.#arriveOf(id);
      }
    } catch (error) {
      app.log.error({ err: error }, TAKE_IN_FAILED);
    }
  }

  /** Never rejects. */
  #arriveOf(moveId: string): Promise<void> {
    const arriving = this.#claim(moveId)
      .catch((error: unknown) => this.gateway.app.log.error({ err: error }, TAKE_IN_FAILED))
      .finally(() => this.#arriving.delete(arriving));
    this.#arriving.add(arriving);
    return arriving;
  }

  #hear(message: MoveMessage): void {
    const { app, sessions } = this.gateway;
    switch (message.type) {
      case 'WHO_TAKES_SESSIONS':
        if (!this.#isLeaving && message.from !== this.#id) {
          const own = { from: this.#id, processId: app.live.id, sessions: sessions.size };
          this.bus?.publish(ownTopic(message.from), { type: 'TAKES_SESSIONS', ...own });
        }
        break;
      case 'SESSIONS_LEFT':
        this.#takeIn(message);
        break;
      case 'SESSION_WANTED':
        void this.#giveAway(message);
        break;
      case 'SESSIONS_ARRIVED':
        for (const [id, moveId] of this.#departed) if (moveId === message.moveId) this.#departed.delete(id);
        break;
      case 'SESSIONS_REFUSED':
        if ([...this.#departed.values()].includes(message.moveId)) void this.#release(message.moveId);
        break;
      case 'TAKES_SESSIONS':
      case 'SESSION_IS_NOT_HERE':
        break;
    }
    for (const listener of [...this.#listeners]) listener(message);
  }

  #takeIn({ from, moveId }: { from: string; moveId: string }): void {
    const answer = (type: 'SESSIONS_ARRIVED' | 'SESSIONS_REFUSED') =>
      this.bus?.publish(ownTopic(from), { type, moveId });
    if (this.#isLeaving) {
      answer('SESSIONS_REFUSED');
      return;
    }
    void this.#arriveOf(moveId).then(() => answer('SESSIONS_ARRIVED'));
  }

  async #claim(moveId: string): Promise<void> {
    const move = await claimMove(this.gateway.app.callOfNobody(), moveId);
    if (move) await arrive(this.gateway, move);
  }

  async #giveAway(wanted: Extract<MoveMessage, { type: 'SESSION_WANTED' }>): Promise<void> {
    const { requestId, sessionId, botId, from, processId } = wanted;
    if (from === this.#id) return;
    const session = this.gateway.sessions.get(sessionId);
    if (session && String(session.botId) === botId && !this.#leaving.has(session)) {
      this.#remember(sessionId);
      const moveId = await this.#hand(session, processId);
      if (moveId !== null) {
        this.bus?.publish(ownTopic(from), { type: 'SESSIONS_LEFT', from: this.#id, moveId });
        return;
      }
      if (session.endedBy || !session.ended) this.#departed.delete(sessionId);
    }
    const isMoving = this.#departed.has(sessionId);
    this.bus?.publish(ownTopic(from), { type: 'SESSION_IS_NOT_HERE', requestId, isMoving });
  }

  /**
   * A client that resumes here in the meantime keeps its session, because its connection is newer than the request.
   * @returns the id of the move; null if the session stays or has ended
   */
  async #hand(session: Session, processId: string): Promise<string | null> {
    const { connections } = session;
    this.#leaving.add(session);
    const silentClocks = await findSilentClocks(this.gateway, [session]);
    for (let waited = 0; waited < SETTLE.withinMs && !session.ended; waited += SETTLE.everyMs) {
      if (isReady(this.gateway, session)) break;
      await setTimeout(SETTLE.everyMs);
    }
    if (session.connected && session.connections !== connections) {
      this.#leaving.delete(session);
      return null;
    }
    const { moveId, links } = await depart(this.gateway, [session], silentClocks, processId);
    for (const link of links) link.close(closes.movedAway);
    if (moveId !== null) this.#departed.set(session.id, moveId);
    if (moveId !== null || session.endedBy) {
      this.gateway.app.metrics.gatewayMoves.inc({ outcome: moveId === null ? 'lost' : 'left' });
    }
    return moveId;
  }

  /** Listens until `isLast` is true for a message, or until the end of `within`, which must be called. */
  #answer(isLast: (message: MoveMessage) => boolean): { within(ms: number): Promise<boolean> } {
    let settle: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const listener = (message: MoveMessage) => {
      if (isLast(message)) settle();
    };
    this.#listeners.add(listener);
    return {
      within: (ms) => isDoneWithin(ms, answered).finally(() => this.#listeners.delete(listener)),
    };
  }
}
