import { setTimeout } from 'node:timers/promises';
import type { Gateway } from '../gateway.js';
import { closes } from '../protocol.js';
import type { Session } from '../session.js';
import type { DepartedSessions } from './departed-sessions.js';
import { depart, findSilentClocks, type SilentClocks } from './departures.js';
import type { MoveSender, SessionWanted } from './messages.js';
import { nextWave, SETTLE } from './waves.js';

const FAILED = 'Could not give gateway sessions to another process';

interface Wanted {
  requestId: string;
  /** When the newest connection elsewhere was opened, from `performance.now()`. */
  openedAt: number;
  /** From then on, the session leaves even if it is busy. From `performance.now()`. */
  lateAt: number;
}

/** Gives sessions to processes at which their clients have resumed. */
export class Handovers {
  /** Sessions that each process gets as soon as they are ready. */
  readonly #wanted = new Map<string, Map<Session, Wanted>>();

  constructor(
    private readonly gateway: Gateway,
    private readonly departed: DepartedSessions,
    private readonly sender: MoveSender,
  ) {}

  /** Answers with the session, or that it is not here. */
  answer({ from, processId, sessionId, botId, requestId, ageMs }: SessionWanted): void {
    const session = this.gateway.sessions.get(sessionId);
    const now = performance.now();
    const wanted = { requestId, openedAt: now - ageMs, lateAt: now + SETTLE.withinMs };
    const waiting = this.#wanted.get(from);
    const earlier = session && waiting?.get(session);
    if (earlier) {
      earlier.requestId = requestId;
      earlier.openedAt = Math.max(earlier.openedAt, wanted.openedAt);
      return;
    }
    const isFree = session && String(session.botId) === botId && !this.#isPromised(session);
    if (!isFree || isNewer(session, wanted)) {
      this.#deny(from, sessionId, wanted);
      return;
    }
    this.departed.add(sessionId);
    if (waiting) {
      waiting.set(session, wanted);
      return;
    }
    const all = new Map([[session, wanted]]);
    this.#wanted.set(from, all);
    void this.#serve(from, processId, all)
      .catch((error: unknown) => this.gateway.app.log.error({ err: error }, FAILED))
      .finally(() => this.#wanted.delete(from));
  }

  #isPromised(session: Session): boolean {
    return [...this.#wanted.values()].some((wanted) => wanted.has(session));
  }

  #deny(peerId: string, sessionId: string, { requestId }: Wanted): void {
    this.sender.send(peerId, { type: 'SESSION_IS_NOT_HERE', requestId, isMoving: this.departed.has(sessionId) });
  }

  /** Sessions that are wanted while others move go together in the next wave. */
  async #serve(peerId: string, processId: string, wanted: Map<Session, Wanted>): Promise<void> {
    const isLate = (session: Session) => performance.now() >= (wanted.get(session)?.lateAt ?? 0);
    while (wanted.size > 0) {
      const next = nextWave(this.gateway, wanted.keys(), isLate);
      const silentClocks = await findSilentClocks(this.gateway, next);
      const wave = new Map<Session, Wanted>();
      for (const session of nextWave(this.gateway, next, isLate)) {
        const one = wanted.get(session);
        if (one) wave.set(session, one);
        wanted.delete(session);
      }
      if (wave.size > 0) await this.#hand(peerId, processId, wave, silentClocks);
      else await setTimeout(SETTLE.everyMs);
    }
  }

  async #hand(
    peerId: string,
    processId: string,
    wave: ReadonlyMap<Session, Wanted>,
    silentClocks: SilentClocks,
  ): Promise<void> {
    const here = [...wave].filter(([{ ended }]) => !ended);
    const leaving = here.flatMap(([session, wanted]) => (isNewer(session, wanted) ? [] : [session]));
    const { moveId, moved, links } = await depart(this.gateway, leaving, silentClocks, processId);
    for (const link of links) link.close(closes.movedAway);
    const { gatewayMoves } = this.gateway.app.metrics;
    gatewayMoves.inc({ outcome: 'left' }, moved.length);
    gatewayMoves.inc({ outcome: 'lost' }, leaving.length - moved.length);
    // A session that had already ended here may have left with a stop, so that it stays in `departed`.
    for (const [{ id }] of here) this.departed.forget(id);
    if (moveId !== null) {
      for (const { id } of moved) this.departed.add(id, moveId);
      const requestIds = moved.flatMap((session) => wave.get(session)?.requestId ?? []);
      this.sender.send(peerId, { type: 'SESSIONS_LEFT', from: this.sender.id, moveId, requestIds });
    }
    const left = new Set(moved);
    for (const [session, wanted] of wave) if (!left.has(session)) this.#deny(peerId, session.id, wanted);
  }
}

/** Whether the client has connected here after it has connected elsewhere. */
function isNewer(session: Session, { openedAt }: Wanted): boolean {
  return (session.connectedSince ?? 0) > openedAt;
}
