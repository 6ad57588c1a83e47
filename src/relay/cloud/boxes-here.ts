import type { AppContext } from '../../context.js';
import { disconnectBox } from '../../domain/boxes/index.js';
import { refusalIn } from '../../domain/errors.js';
import { type BusSubscription, topics } from '../../infra/bus.js';
import type { Timer } from '../../infra/clock.js';
import type { Box } from '../../infra/database/index.js';
import { isDoneWithin } from '../../infra/deadlines.js';
import { inPieces, inTurns, nextTurn } from '../../infra/turns.js';
import { type Close, closes } from '../protocol/closes.js';
import { Absences } from './absences.js';
import type { BoxConnection } from './connection.js';
import type { EventSession } from './events-intake.js';

/** How often all connections are compared with what is so, in milliseconds: what tells of a newer one may be lost. */
const CHECK_EVERY_MS = 30_000;

/** Boxes that are read with one query: SQLite takes 999 parameters. */
const BOXES_PER_QUERY = 400;

/** How long a question that an event takes may go on once the box has another connection, in milliseconds. */
const STOPPING_MS = 1_000;

/** What closes the connection of a box that does not keep to the protocol. */
const BROKEN_RULES: readonly number[] = [closes.unusable, closes.tooSlow, closes.silent, closes.notOwnId].map(
  ({ code }) => code,
);

/** Why a connection ends that was good until the box had another one. */
const SUCCEEDED: readonly Close[] = [closes.replaced, closes.unavailable];

/** What a box's row says of its connection. */
interface Standing {
  holderId: string | null;
  generation: number;
  publicKey: string | null;
}

/** A connection, and what tells of a newer one. */
interface Held {
  connection: BoxConnection;
  subscription: BusSubscription;
}

/**
 * The boxes whose connections this process has, one each: the newest (docs/relay.md, R-16). What is known of a box's events outlives its
 * connection until its absence is told.
 */
export class BoxesHere {
  readonly #held = new Map<bigint, Held>();
  readonly #sessions = new Map<bigint, EventSession>();
  readonly #absences: Absences;
  /** Settle once nothing is worked on any more of what came over a connection that is lost. */
  readonly #ending = new Map<bigint, Promise<void>>();
  readonly #toLookAt = new Set<bigint>();
  #check: Timer | null = null;
  #isLeaving = false;

  constructor(private readonly app: AppContext) {
    this.#absences = new Absences(app, {
      onOver: (boxId) => void this.#sessions.delete(boxId),
      isBack: (boxId) => this.#held.has(boxId),
    });
  }

  /** The connection of a box; null for one that has none here. */
  get(boxId: bigint): BoxConnection | null {
    return this.#held.get(boxId)?.connection ?? null;
  }

  all(): BoxConnection[] {
    return [...this.#held.values()].map(({ connection }) => connection);
  }

  /** What is known of a box's events, once it is connected again; null for nothing. */
  sessionOf(boxId: bigint): EventSession | null {
    return this.#sessions.get(boxId) ?? null;
  }

  /** No more events of a box are worked on; settles once the last one is, also where its connection is lost by now. */
  async stopEvents(boxId: bigint): Promise<void> {
    const connection = this.get(boxId);
    if (connection) await this.#stopEventsOf(connection);
    await this.#ending.get(boxId);
  }

  /** What the last event asks its box over a connection that is dead is not waited for: the box waits for its welcome, and not as long. */
  async #stopEventsOf(connection: BoxConnection): Promise<void> {
    const stopped = connection.stopEvents();
    if (!(await isDoneWithin(STOPPING_MS, stopped))) connection.abandon(closes.replaced);
    await stopped;
  }

  /** From here on, a box's events have numbers of this session. */
  noteSession(boxId: bigint, session: EventSession): void {
    this.#sessions.set(boxId, session);
  }

  /** A box was welcomed: its connection serves, and the one before goes. */
  add(connection: BoxConnection): void {
    const { boxId } = connection;
    const before = this.#held.get(boxId);
    if (before && before.connection.generation > connection.generation) {
      connection.end(closes.replaced);
      return;
    }
    const subscription = before?.subscription ?? this.#watch(boxId);
    this.#held.set(boxId, { connection, subscription });
    this.#absences.end(boxId);
    this.#check ??= this.#checkLater();
    this.#show();
    before?.connection.end(before.connection.key === connection.key ? closes.replaced : closes.notAdmitted);
    void subscription.ready.then(() => this.#lookSoon(boxId));
  }

  /** A connection is lost: where it was the box's, the box is away. */
  async lose(connection: BoxConnection, why: Close): Promise<void> {
    const { boxId, generation } = connection;
    this.#tell(connection, why);
    const held = this.#held.get(boxId);
    if (held?.connection !== connection) return;
    held.subscription.close();
    this.#held.delete(boxId);
    this.#awaitEvents(connection);
    this.#show();
    // What ends the life of this process says then that its boxes are away.
    if (this.#isLeaving) return;
    this.#absences.begin(boxId);
    await this.disconnect({ boxId, generation });
  }

  /**
   * What was written as a box's newest connection never came to serve: the one before is it in its place, where this process has it still. Elsewhere
   * the box is away, and dials again.
   */
  async goOnWithout({ id: boxId, generation, publicKey }: Pick<Box, 'id' | 'generation' | 'publicKey'>): Promise<void> {
    const before = this.get(boxId);
    if (before?.isOpen && before.key === publicKey && before.generation < generation) before.generation = generation;
    else await this.disconnect({ boxId, generation });
  }

  /** A box has no connection of this generation any more. What cannot be written now is right again with its next connection. */
  async disconnect(connection: { boxId: bigint; generation: number }): Promise<void> {
    const { app } = this;
    try {
      await disconnectBox(app.callOfNobody(), connection);
    } catch (error) {
      const boxId = String(connection.boxId);
      if (!refusalIn(error)) app.log.error({ err: error, boxId }, 'that a box is away could not be written');
    }
  }

  /** This process was taken for dead, and others have told that its boxes are away: they dial again, and tell everything anew. */
  restate(): void {
    this.#sessions.clear();
    for (const connection of this.all()) connection.end(closes.unavailable);
  }

  /** This process is about to end. */
  leave(): void {
    this.#isLeaving = true;
    this.#check?.cancel();
  }

  #awaitEvents(connection: BoxConnection): void {
    const { boxId } = connection;
    const ending: Promise<void> = connection.stopEvents().finally(() => {
      if (this.#ending.get(boxId) === ending) this.#ending.delete(boxId);
    });
    this.#ending.set(boxId, ending);
  }

  #watch(boxId: bigint): BusSubscription {
    return this.app.bus.subscribe(topics.box(boxId), ({ type }) => {
      // Whatever it answers from here on is not the box's any more.
      if (type === 'BOX_DELETED') this.get(boxId)?.end(closes.deleted);
      else void this.#lookSoon(boxId);
    });
  }

  /** Those of which something is told meanwhile are looked at together, once each. */
  async #lookSoon(boxId: bigint): Promise<void> {
    this.#toLookAt.add(boxId);
    if (this.#toLookAt.size > 1) return;
    await nextTurn();
    const boxIds = [...this.#toLookAt];
    this.#toLookAt.clear();
    await this.#lookAtAll(boxIds);
  }

  #lookAtAll(boxIds: bigint[]): Promise<void> {
    return inTurns(inPieces(boxIds, BOXES_PER_QUERY), 1, (piece) => this.#look(piece));
  }

  #checkLater(): Timer {
    return this.app.clock.after(CHECK_EVERY_MS, () => {
      this.#check = this.#checkLater();
      void this.#lookAtAll([...this.#held.keys()]);
    });
  }

  /** Closes the connections of these boxes that are not the boxes' any more. */
  async #look(boxIds: bigint[]): Promise<void> {
    const connections = boxIds.flatMap((boxId) => this.get(boxId) ?? []);
    const { app } = this;
    try {
      const rows = await app.db.reader.box.findMany({
        where: { id: { in: connections.map(({ boxId }) => boxId) } },
        select: { id: true, holderId: true, generation: true, publicKey: true },
      });
      const standings = new Map(rows.map((row) => [row.id, row]));
      for (const connection of connections) {
        const close = closeFor(connection, standings.get(connection.boxId), app.live.id);
        if (!close) continue;
        // What is open goes on until it is over, or this process ends (docs/relay.md, R-40); the box tells its events elsewhere.
        if (this.#isLeaving && SUCCEEDED.includes(close)) void connection.stopEvents();
        else connection.end(close);
      }
    } catch (error) {
      if (!refusalIn(error)) app.log.error({ err: error }, 'boxes could not be read for their connections');
    }
  }

  /** A box that broke a rule is more than one that went. */
  #tell({ boxId, generation }: BoxConnection, why: Close): void {
    const level = BROKEN_RULES.includes(why.code) ? 'warn' : 'info';
    this.app.log[level]({ boxId: String(boxId), generation, ...why }, 'the connection of a box is lost');
  }

  #show(): void {
    this.app.metrics.relayBoxes.set(this.#held.size);
  }
}

/** Why a connection has to end; null where it is the box's still, or its successor in this process is about to see to it. */
function closeFor(connection: BoxConnection, standing: Standing | undefined, here: string): Close | null {
  if (!standing) return closes.deleted;
  if (standing.publicKey !== connection.key) return closes.notAdmitted;
  if (standing.generation <= connection.generation) return null;
  // Its successor is gone as well: the box dials again.
  if (standing.holderId === null) return closes.unavailable;
  return standing.holderId === here ? null : closes.replaced;
}
