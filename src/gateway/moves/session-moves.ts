import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { claimMove, findAbandonedMoves, releaseMove } from '../../domain/session-moves.js';
import { isDoneWithin } from '../../infra/concurrency/timeouts.js';
import type { Bus } from '../../infra/processes/bus.js';
import { controls } from '../control.js';
import type { Gateway, MoveApplicant, Moves } from '../gateway.js';
import type { Session } from '../session.js';
import { arrive } from './arrivals.js';
import { DepartedSessions } from './departed-sessions.js';
import { depart, findSilentClocks, type SilentClocks } from './departures.js';
import { Handovers } from './handovers.js';
import { EVERYBODY, type MoveMessage, type MoveSender, type SessionWanted, topicOf } from './messages.js';
import { nextWave, SETTLE } from './waves.js';

/** How long answers of other processes may take. */
const ANSWERS_WITHIN_MS = 1_000;

/** How long a RESUME waits for its session. After a proxy has restarted, many wait at once. */
const FETCH_WITHIN_MS = 10_000;

/** A session on its way is asked for again after this time. */
const ASK_AGAIN_MS = 100;

const ARRIVED_WITHIN_MS = 3_000;

/** A stop is not faster, so that clients do not all reconnect at once. */
const MOVED_PER_SECOND = 2_000;

const TAKE_IN_FAILED = 'Could not take in gateway sessions; their bots identify again';
const RELEASE_FAILED = 'Could not release gateway sessions that no process took; their bots identify again';

interface Peer {
  id: string;
  processId: string;
  sessions: number;
}

interface MovedCounts {
  /** Sessions that another process took. */
  left: number;
  /** Sessions in the database, for a later process. */
  stored: number;
  lost: number;
}

/** Moves gateway sessions between processes. The process that deletes the row of a move has its sessions. */
export class SessionMoves implements Moves, MoveSender {
  readonly id = randomUUID();
  readonly #arriving = new Set<Promise<void>>();
  readonly #departed: DepartedSessions;
  readonly #handovers: Handovers;
  /** The newest connection that waits for each session. */
  readonly #applicants = new Map<string, object>();
  #takingInAbandoned: Promise<void> | null = null;
  #isLeaving = false;
  readonly #listeners = new Set<(message: MoveMessage) => void>();

  /** @param bus null in a set-up of one process */
  constructor(
    private readonly gateway: Gateway,
    private readonly bus: Bus<MoveMessage> | null,
  ) {
    this.#departed = new DepartedSessions(gateway.app.connectionClock);
    this.#handovers = new Handovers(gateway, this.#departed, this);
  }

  send(peerId: string, message: MoveMessage): void {
    this.bus?.publish(topicOf(peerId), message);
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  async prepare(): Promise<void> {
    const hear = (message: MoveMessage) => this.#hear(message);
    await Promise.all([EVERYBODY, topicOf(this.id)].map((topic) => this.bus?.subscribe(topic, hear).ready));
    await this.#takeInAbandoned();
  }

  async leave(until: number): Promise<void> {
    this.#isLeaving = true;
    const { sessions, app } = this.gateway;
    await isDoneWithin(SETTLE.withinMs, Promise.allSettled(this.#arriving));
    const peers = await this.#findPeers();
    const isLast = peers.length === 0 && sessions.size > 0;
    if (isLast) await isDoneWithin(SETTLE.withinMs, app.writes.refuseEvents());
    const moved = await this.#leaveInWaves(peers, until);
    if (moved.left + moved.stored + moved.lost > 0) app.log.info(moved, 'Gateway sessions moved');
    if (!isLast && moved.stored === 0) return;
    await app.live
      .endButKeepRows()
      .catch((error: unknown) => app.log.error({ err: error }, 'Could not end the heartbeat of this process'));
  }

  async #leaveInWaves(peers: Peer[], until: number): Promise<MovedCounts> {
    const { sessions } = this.gateway;
    const silentClocks = await findSilentClocks(this.gateway, sessions.values());
    const settleUntil = Math.min(performance.now() + SETTLE.withinMs, until);
    const counts = { left: 0, stored: 0, lost: 0 };
    while (sessions.size > 0) {
      const startedAt = performance.now();
      const isLate = startedAt >= settleUntil;
      const wave = nextWave(this.gateway, sessions.values(), () => isLate);
      if (wave.length > 0) await this.#move(wave, silentClocks, peers, counts);
      const spentMs = performance.now() - startedAt;
      const paceMs = wave.length === 0 ? SETTLE.everyMs : (wave.length / MOVED_PER_SECOND) * 1_000 - spentMs;
      if (paceMs > 0 && !isLate) await setTimeout(paceMs);
    }
    return counts;
  }

  /** @param peers those that refuse are removed */
  async #move(wave: readonly Session[], silentClocks: SilentClocks, peers: Peer[], counts: MovedCounts): Promise<void> {
    const [peer] = peers.toSorted((one, other) => one.sessions - other.sessions);
    if (peer) peer.sessions += wave.length;
    for (const { id } of wave) this.#departed.add(id);
    const { moveId, moved, links } = await depart(this.gateway, wave, silentClocks, peer?.processId ?? null);
    const isTaken = moveId !== null && peer !== undefined && (await this.#handTo(peer.id, moveId));
    if (moveId !== null && peer && !isTaken) {
      peers.splice(peers.indexOf(peer), 1);
      await this.#release(moveId);
    }
    for (const link of links) link.send(controls.reconnect);
    counts[isTaken ? 'left' : 'stored'] += moved.length;
    counts.lost += wave.length - moved.length;
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
    const heard = await this.bus?.ask(topicOf(peerId), { type: 'SESSIONS_LEFT', from: this.id, moveId }).catch(() => 0);
    await answered.within(heard === 0 ? 0 : ARRIVED_WITHIN_MS);
    return isTaken;
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
    expected = await this.bus.ask(EVERYBODY, { type: 'WHO_TAKES_SESSIONS', from: this.id }).catch(() => 0);
    await all.within(peers.length < expected ? ANSWERS_WITHIN_MS : 0);
    return peers;
  }

  async fetch(sessionId: string, botId: bigint, applicant: MoveApplicant): Promise<boolean> {
    this.#applicants.set(sessionId, applicant);
    const isNewest = () => this.#applicants.get(sessionId) === applicant;
    const isWanted = () => isNewest() && !applicant.isClosed;
    await this.#fetch({ sessionId, botId: String(botId) }, applicant.openedAt, isWanted);
    const isLast = isNewest();
    if (isLast) this.#applicants.delete(sessionId);
    return isLast;
  }

  async #fetch(
    wanted: Pick<SessionWanted, 'sessionId' | 'botId'>,
    openedAt: number,
    isWanted: () => boolean,
  ): Promise<void> {
    const { sessions, app } = this.gateway;
    const { sessionId } = wanted;
    const until = performance.now() + FETCH_WITHIN_MS;
    while (!this.#isLeaving && isWanted() && !sessions.has(sessionId) && performance.now() < until) {
      const isMoving = (await this.#ask(wanted, performance.now() - openedAt)) || this.#departed.has(sessionId);
      await Promise.all(this.#arriving);
      if (this.bus && !sessions.has(sessionId)) await this.#takeInAbandoned();
      if (sessions.has(sessionId) || !(isMoving || app.degraded().includes('redis'))) break;
      await setTimeout(ASK_AGAIN_MS);
    }
  }

  /** @returns whether the session is on its way somewhere */
  async #ask(wanted: Pick<SessionWanted, 'sessionId' | 'botId'>, ageMs: number): Promise<boolean> {
    if (!this.bus) return false;
    let expected = Number.POSITIVE_INFINITY;
    let answers = 0;
    let isMoving = false;
    const requestId = randomUUID();
    const settled = this.#answer((message) => {
      if (message.type === 'SESSIONS_LEFT') isMoving ||= message.requestIds?.includes(requestId) ?? true;
      if (isMoving) return true;
      if (message.type !== 'SESSION_IS_NOT_HERE' || message.requestId !== requestId) return false;
      answers += 1;
      isMoving ||= message.isMoving;
      return answers >= expected;
    });
    const own = { from: this.id, processId: this.gateway.app.live.id };
    expected = await this.bus
      .ask(EVERYBODY, { type: 'SESSION_WANTED', ...own, ...wanted, requestId, ageMs })
      .catch(() => 0);
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
        if (!this.#isLeaving && message.from !== this.id) {
          const own = { from: this.id, processId: app.live.id, sessions: sessions.size };
          this.send(message.from, { type: 'TAKES_SESSIONS', ...own });
        }
        break;
      case 'SESSIONS_LEFT':
        this.#takeIn(message);
        break;
      case 'SESSION_WANTED':
        if (message.from !== this.id) this.#handovers.answer(message);
        break;
      case 'SESSIONS_ARRIVED':
        this.#departed.forgetAllOf(message.moveId);
        break;
      case 'SESSIONS_REFUSED':
        if (this.#departed.hasAnyOf(message.moveId)) void this.#release(message.moveId);
        break;
      case 'TAKES_SESSIONS':
      case 'SESSION_IS_NOT_HERE':
        break;
    }
    for (const listener of [...this.#listeners]) listener(message);
  }

  #takeIn({ from, moveId }: { from: string; moveId: string }): void {
    const answer = (type: 'SESSIONS_ARRIVED' | 'SESSIONS_REFUSED') => this.send(from, { type, moveId });
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
