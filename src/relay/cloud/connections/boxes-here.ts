import type { AppContext } from '../../../context.js';
import { disconnectBox } from '../../../domain/boxes/index.js';
import { refusalIn } from '../../../domain/errors.js';
import type { Timer } from '../../../infra/clock.js';
import { chunksOf, forEachYielding, yieldToEventLoop } from '../../../infra/concurrency/event-loop.js';
import { isDoneWithin } from '../../../infra/concurrency/timeouts.js';
import type { Box } from '../../../infra/database/index.js';
import { type BusSubscription, topics } from '../../../infra/processes/bus.js';
import { type Close, closes } from '../../protocol/closes.js';
import type { EventSession } from '../events/events-intake.js';
import { Absences } from './absences.js';
import type { BoxConnection } from './connection.js';

/** Interval of comparing connections with the database: a bus message about a newer connection may be lost. */
const CHECK_EVERY_MS = 30_000;

/** SQLite takes 999 parameters per query. */
const BOXES_PER_QUERY = 400;

/** Time for the current event to finish once the box has another connection. */
const STOPPING_MS = 1_000;

/** Closes of a box that breaks the protocol. */
const BROKEN_RULES: readonly number[] = [closes.unusable, closes.tooSlow, closes.silent, closes.notOwnId].map(
  ({ code }) => code,
);

/** Closes of a connection that was valid until the box got another one. */
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
 * connection until bots learn of the absence.
 */
export class BoxesHere {
  readonly #held = new Map<bigint, Held>();
  readonly #sessions = new Map<bigint, EventSession>();
  readonly #absences: Absences;
  /** Resolve once no event of a lost connection is being processed. */
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

  /** Null for a box that is not connected to this process. */
  get(boxId: bigint): BoxConnection | null {
    return this.#held.get(boxId)?.connection ?? null;
  }

  all(): BoxConnection[] {
    return [...this.#held.values()].map(({ connection }) => connection);
  }

  /** The session that the box can resume, or null. */
  sessionOf(boxId: bigint): EventSession | null {
    return this.#sessions.get(boxId) ?? null;
  }

  /** Resolves once the last event is done, even if its connection is lost. */
  async stopEvents(boxId: bigint): Promise<void> {
    const connection = this.get(boxId);
    if (connection) await this.#stopEventsOf(connection);
    await this.#ending.get(boxId);
  }

  /** Abandons a connection over which the last event waits too long. The box waits only 10 s for its welcome. */
  async #stopEventsOf(connection: BoxConnection): Promise<void> {
    const stopped = connection.stopEvents();
    if (!(await isDoneWithin(STOPPING_MS, stopped))) connection.abandon(closes.replaced);
    await stopped;
  }

  noteSession(boxId: bigint, session: EventSession): void {
    this.#sessions.set(boxId, session);
  }

  /** Closes the box's earlier connection. */
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
    // When this process's row ends, its boxes are reported as away.
    if (this.#isLeaving) return;
    this.#absences.begin(boxId);
    await this.disconnect({ boxId, generation });
  }

  /**
   * Handles a stored connection that never served. The earlier one takes over its generation if this process still has
   * it. Otherwise the box is away.
   */
  async goOnWithout({ id: boxId, generation, publicKey }: Pick<Box, 'id' | 'generation' | 'publicKey'>): Promise<void> {
    const before = this.get(boxId);
    if (before?.isOpen && before.key === publicKey && before.generation < generation) before.generation = generation;
    else await this.disconnect({ boxId, generation });
  }

  /** A failure is only logged: the box's next connection corrects the row. */
  async disconnect(connection: { boxId: bigint; generation: number }): Promise<void> {
    const { app } = this;
    try {
      await disconnectBox(app.callOfNobody(), connection);
    } catch (error) {
      const boxId = String(connection.boxId);
      if (!refusalIn(error)) app.log.error({ err: error, boxId }, 'Could not store that a box is offline');
    }
  }

  /** Other processes took this one for dead and reported its boxes as away, so they must begin again. */
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
      // A deleted box must not answer any more.
      if (type === 'BOX_DELETED') this.get(boxId)?.end(closes.deleted);
      else void this.#lookSoon(boxId);
    });
  }

  /** Collects the boxes of one turn of the event loop. */
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
    return this.app.clock.after(CHECK_EVERY_MS, () => {
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
        // Open requests go on (docs/relay.md, R-40). The box sends its events elsewhere.
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

/** Null for a current connection, and if a newer one in this process ends it. */
function closeFor(connection: BoxConnection, standing: Standing | undefined, here: string): Close | null {
  if (!standing) return closes.deleted;
  if (standing.publicKey !== connection.key) return closes.notAdmitted;
  if (standing.generation <= connection.generation) return null;
  // The newer connection is gone, too.
  if (standing.holderId === null) return closes.unavailable;
  return standing.holderId === here ? null : closes.replaced;
}
