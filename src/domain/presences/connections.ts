import { randomUUID } from 'node:crypto';
import { type Clock, pause } from '../../infra/clock.js';
import { isMissingReference } from '../../infra/database/faults.js';
import { Lines } from '../../infra/lines.js';
import type { Logger } from '../../infra/logger.js';
import { Slots } from '../../infra/slots.js';
import { inTurns } from '../../infra/turns.js';
import type { CallContext } from '../call.js';
import { refusalIn } from '../errors.js';
import type { LiveProcess } from '../live-processes/life.js';
import { looksAlike, type ShownPresence, type Statement, type Status } from './record.js';
import { SessionNews } from './session-news.js';
import { type Change, type ConnectionKey, endConnection, storeStatement, storeStatus } from './store.js';
import { tellPresence } from './tell.js';

/** After what time something that could not be stored or told is tried again, in milliseconds. */
const RETRY_MS = 2_000;

/** How many users' statements are stored at once. */
const STORED_AT_ONCE = 4;

/** Connections that are looked at before others have a turn. */
const CONNECTIONS_PER_TURN = 100;

/** A connection that lasts. */
interface Connection extends ConnectionKey {
  /** What it says of its user; null where it is good for voice alone. */
  statement: Statement | null;
  /** Whether it is somebody's in a voice channel, or was. */
  isInVoice: boolean;
  /** Whether its person is signed in still. */
  isStillGood?: (() => Promise<boolean>) | undefined;
}

interface ConnectionsParts {
  live: LiveProcess;
  clock: Clock;
  log: Logger;
  callOfNobody: () => CallContext;
}

/**
 * The connections to this process, and what each says of its user. What they say is stored, and told to the user's guilds, in the order in
 * which they said it; what cannot be stored or told is tried again until it can, or does not count any more.
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  /** What stands for the connection of people whose requests come by themselves, by their ids. */
  readonly #ofRequests = new Map<bigint, string>();
  /** What is done for each user, one after the other. */
  readonly #lines = new Lines<bigint>();
  readonly #slots = new Slots(STORED_AT_ONCE);
  /** Those who wait for what is done for a user. Nobody does while something fails, for whomever: the database may be away for long. */
  readonly #waiting = new Set<() => void>();
  readonly #sessionNews: SessionNews;
  #isFailing = false;
  #isStopping = false;

  constructor(private readonly parts: ConnectionsParts) {
    this.#sessionNews = new SessionNews(parts);
  }

  /**
   * A connection begins. Settles when its user's guilds were told, or at once where such has to be tried again.
   * @param isStillGood whether its person is signed in still, for one that ends with their sign-in
   */
  open(key: ConnectionKey, statement: Statement, isStillGood?: () => Promise<boolean>): Promise<void> {
    const connection = { ...key, statement: { ...statement }, isStillGood, isInVoice: false };
    this.#open.set(key.id, connection);
    return this.#store(connection);
  }

  /** A connection says something else. One that has ended says nothing. */
  async state(id: string, statement: Statement): Promise<void> {
    const connection = this.#open.get(id);
    if (!connection?.statement) return;
    connection.statement = statement;
    await this.#store(connection);
  }

  /** A connection has ended, and with it what it said, and where it was in voice. */
  async close(id: string): Promise<void> {
    const connection = this.#open.get(id);
    if (!connection) return;
    this.#open.delete(id);
    if (this.#ofRequests.get(connection.userId) === id) this.#ofRequests.delete(connection.userId);
    if (!this.#isStopping && (connection.statement || connection.isInVoice)) await this.#store(connection);
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** A connection is about to be in voice; with it ends its voice state. */
  holdVoice(id: string): void {
    const connection = this.#open.get(id);
    if (connection) connection.isInVoice = true;
  }

  /**
   * What stands for a connection where a person's requests come by themselves: it says nothing of them, and ends with their sign-in, or
   * with this process. A person has one.
   * @returns its id
   */
  openForRequests(userId: bigint, isStillGood: () => Promise<boolean>): string {
    const id = this.#ofRequests.get(userId) ?? randomUUID();
    this.#ofRequests.set(userId, id);
    this.#open.set(id, { id, userId, session: null, statement: null, isInVoice: true, isStillGood });
    return id;
  }

  /** All of a person's connections say the same. @returns how they are seen then; null where they have no connection */
  async setStatus(userId: bigint, status: Status): Promise<ShownPresence | null> {
    for (const connection of this.#open.values()) {
      if (connection.userId === userId && connection.statement) connection.statement.status = status;
    }
    const change = await storeStatus(this.parts.callOfNobody(), userId, status);
    if (!change) return null;
    await this.#inLine(userId, () => this.#tell(change));
    return change.after;
  }

  /** Ends the connections of a person who may have signed out, where they did; of everybody where nobody is named. */
  async checkSessions(userId?: bigint): Promise<void> {
    const asked = [...this.#open.values()].filter(
      (one) => one.isStillGood && (userId === undefined || one.userId === userId),
    );
    await inTurns(asked, CONNECTIONS_PER_TURN, (connection) => this.#check(connection));
  }

  /** This process was taken for dead: what its connections say is stored anew. */
  async restate(): Promise<void> {
    await inTurns([...this.#open.values()], CONNECTIONS_PER_TURN, (connection) => {
      if (connection.statement) void this.#store(connection);
    });
  }

  /** From now on nothing is stored for a connection that ends: all end together, with the process. */
  stop(): void {
    this.#isStopping = true;
    this.#sessionNews.tell();
  }

  /** Settles when nothing is under way any more. */
  settle(): Promise<void> {
    return this.#lines.settled();
  }

  async #check(connection: Connection): Promise<void> {
    try {
      if (await connection.isStillGood?.()) return;
    } catch (error) {
      // Whether they are signed in is not known: asked again with the next occasion.
      if (refusalIn(error)?.kind !== 'unauthenticated') return;
    }
    await this.close(connection.id);
  }

  /** Stores how it is with a connection when it is its turn, and tells of it. */
  #store(connection: Connection): Promise<void> {
    return this.#inLine(connection.userId, async () => {
      const change = await this.#untilDone(() => this.#storeNow(connection));
      if (change?.isOfSessions) this.#sessionNews.add(connection.userId);
      if (change) await this.#untilDone(() => this.#tell(change));
    });
  }

  async #storeNow(connection: Connection): Promise<Change> {
    const { live } = this.parts;
    const call = this.parts.callOfNobody();
    const release = await this.#slots.take();
    const processId = live.id;
    const statement = this.#open.get(connection.id)?.statement;
    try {
      return await (statement ? storeStatement(call, connection, statement) : endConnection(call, connection));
    } catch (error) {
      if (isMissingReference(error) && processId === live.id) await live.beginAnew();
      throw error;
    } finally {
      release?.();
    }
  }

  async #tell({ before, after }: Change): Promise<void> {
    if (!looksAlike(before, after)) await tellPresence(this.parts.callOfNobody(), after);
  }

  /** @returns undefined where the process stops before it is done */
  async #untilDone<T>(work: () => Promise<T>): Promise<T | undefined> {
    while (!this.#isStopping) {
      try {
        const result = await work();
        this.#isFailing = false;
        return result;
      } catch (error) {
        if (!refusalIn(error) && !isMissingReference(error)) {
          this.parts.log.error({ err: error }, 'who is there could not be stored or told');
        }
        this.#isFailing = true;
        this.#letGo();
        await pause(this.parts.clock, RETRY_MS);
      }
    }
    return undefined;
  }

  /** Does something for a user after what was begun for them earlier. Settles when it is done, or something fails. */
  #inLine(userId: bigint, work: () => Promise<void>): Promise<void> {
    const done = this.#lines
      .run(userId, work)
      .catch((error: unknown) => this.parts.log.error({ err: error }, 'who is there could not be told'));
    return this.#isFailing ? Promise.resolve() : this.#waitFor(done);
  }

  #waitFor(done: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      void done.then(() => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }

  #letGo(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
