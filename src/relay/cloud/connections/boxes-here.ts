import type { AppContext } from '../../../context.js';
import { disconnectBox } from '../../../domain/boxes/index.js';
import { refusalIn } from '../../../domain/errors.js';
import type { Timer } from '../../../infra/clock.js';
import { chunksOf, forEachYielding, yieldToEventLoop } from '../../../infra/concurrency/event-loop.js';
import { isDoneWithin } from '../../../infra/concurrency/timeouts.js';
import type { Box } from '../../../infra/database/index.js';
import type { BusSubscription } from '../../../infra/processes/bus.js';
import { topics } from '../../../infra/streams/topics.js';
import { type Close, closes } from '../../protocol/closes.js';
import type { EventSession } from '../events/events-intake.js';
import { Absences } from './absences.js';
import type { BoxConnection } from './connection.js';

/** Interval of comparisons with the database, because the bus may lose a message about a newer connection. */
const CHECK_EVERY_MS = 30_000;

/** SQLite takes 999 parameters per query. */
const BOXES_PER_QUERY = 400;

/** Time for the current event to finish after the box opened another connection. */
const STOPPING_MS = 1_000;

/** Closes of a box that violates the protocol. */
const BROKEN_RULES: readonly number[] = [closes.unusable, closes.tooSlow, closes.silent, closes.notOwnId].map(
  ({ code }) => code,
);

/** Closes of a connection that was valid until the box opened another one. */
const SUCCEEDED: readonly Close[] = [closes.replaced, closes.unavailable];

interface Standing {
  holderId: string | null;
  generation: number;
  publicKey: string | null;
}

interface Held {
  connection: BoxConnection;
  subscription: BusSubscription;
}

/**
 * Holds the newest connection of each box of this process (docs/relay.md, R-16). An event session outlives its
 * connection until bots learn that the box is offline.
 */
export class BoxesHere {
  readonly #held = new Map<bigint, Held>();
  readonly #sessions = new Map<bigint, EventSession>();
  readonly #absences: Absences;
  /** Each resolves when a lost connection has processed its last event. */
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

  get(boxId: bigint): BoxConnection | null {
    return this.#held.get(boxId)?.connection ?? null;
  }

  all(): BoxConnection[] {
    return [...this.#held.values()].map(({ connection }) => connection);
  }

  sessionOf(boxId: bigint): EventSession | null {
    return this.#sessions.get(boxId) ?? null;
  }

  /** Waits for the last event, even of a lost connection. */
  async stopEvents(boxId: bigint): Promise<void> {
    const connection = this.get(boxId);
    if (connection) await this.#stopEventsOf(connection);
    await this.#ending.get(boxId);
  }

  /** Abandons the connection if its last event takes too long. The box waits only 10 s for its welcome. */
  async #stopEventsOf(connection: BoxConnection): Promise<void> {
    const stopped = connection.stopEvents();
    if (!(await isDoneWithin(STOPPING_MS, stopped))) connection.abandon(closes.replaced);
    await stopped;
  }

  noteSession(boxId: bigint, session: EventSession): void {
    this.#sessions.set(boxId, session);
  }

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

  async lose(connection: BoxConnection, why: Close): Promise<void> {
    const { boxId, generation } = connection;
    this.#tell(connection, why);
    const held = this.#held.get(boxId);
    if (held?.connection !== connection) return;
    held.subscription.close();
    this.#held.delete(boxId);
    this.#awaitEvents(connection);
    this.#show();
    // The end of this process's own row reports its boxes as offline.
    if (this.#isLeaving) return;
    this.#absences.begin(boxId);
    await this.disconnect({ boxId, generation });
  }

  /**
   * Handles a stored connection that never served. The earlier one takes over its generation if it is still open here.
   * Otherwise the box is offline.
   */
  async goOnWithout({ id: boxId, generation, publicKey }: Pick<Box, 'id' | 'generation' | 'publicKey'>): Promise<void> {
    const before = this.get(boxId);
    if (before?.isOpen && before.key === publicKey && before.generation < generation) before.generation = generation;
    else await this.disconnect({ boxId, generation });
  }

  /** Only logs a failure, because the box's next connection corrects the row. */
  async disconnect(connection: { boxId: bigint; generation: number }): Promise<void> {
    const { app } = this;
    try {
      await disconnectBox(app.callOfNobody(), connection);
    } catch (error) {
      const boxId = String(connection.boxId);
      if (!refusalIn(error)) app.log.error({ err: error, boxId }, 'Could not store that a box is offline');
    }
  }

  /** Other processes reported these boxes as offline, so the boxes must begin again. */
  restate(): void {
    this.#sessions.clear();
    for (const connection of this.all()) connection.end(closes.unavailable);
  }

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
      // A deleted box must not respond any more.
      if (type === 'BOX_DELETED') this.get(boxId)?.end(closes.deleted);
      else void this.#lookSoon(boxId);
    });
  }

  /** Checks all boxes of one turn of the event loop together. */
  async #lookSoon(boxId: bigint): Promise<void> {
    this.#toLookAt.add(boxId);
    if (this.#toLookAt.size > 1) return;
    await yieldToEventLoop();
    const boxIds = [...this.#toLookAt];
    this.#toLookAt.clear();
    await this.#lookAtAll(boxIds);
  }

  #lookAtAll(boxIds: bigint[]): Promise<void> {
    return forEachYielding(chunksOf(boxIds, BOXES_PER_QUERY), 1, (piece) => this.#look(piece));
  }

  #checkLater(): Timer {
    return this.app.connectionClock.after(CHECK_EVERY_MS, () => {
      this.#check = this.#checkLater();
      void this.#lookAtAll([...this.#held.keys()]);
    });
  }

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
        // Open requests continue (docs/relay.md, R-40). The box sends its events elsewhere.
        if (this.#isLeaving && SUCCEEDED.includes(close)) void connection.stopEvents();
        else connection.end(close);
      }
    } catch (error) {
      if (!refusalIn(error)) app.log.error({ err: error }, 'Could not read boxes for their connections');
    }
  }

  #tell({ boxId, generation }: BoxConnection, why: Close): void {
    const level = BROKEN_RULES.includes(why.code) ? 'warn' : 'info';
    this.app.log[level]({ boxId: String(boxId), generation, ...why }, 'Box disconnected');
  }

  #show(): void {
    this.app.metrics.relayBoxes.set(this.#held.size);
  }
}

/** Null if the connection is current, or if a newer one in this process ends it. */
function closeFor(connection: BoxConnection, standing: Standing | undefined, here: string): Close | null {
  if (!standing) return closes.deleted;
  if (standing.publicKey !== connection.key) return closes.notAdmitted;
  if (standing.generation <= connection.generation) return null;
  // The newer connection has ended too.
  if (standing.holderId === null) return closes.unavailable;
  return standing.holderId === here ? null : closes.replaced;
}
