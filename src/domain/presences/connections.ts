import { randomUUID } from 'node:crypto';
import { type Clock, pause } from '../../infra/clock.js';
import { forEachYielding, yieldOnce } from '../../infra/concurrency/event-loop.js';
import { KeyedMutex } from '../../infra/concurrency/mutex.js';
import { isMissingReference, mayBeDone } from '../../infra/database/faults.js';
import type { Logger } from '../../infra/observability/logger.js';
import type { CallContext } from '../call.js';
import { refusalIn } from '../errors.js';
import type { LiveProcess } from '../live-processes/heartbeat.js';
import { publishPresence } from './publish.js';
import { looksAlike, type ShownPresence, type Statement, type Status } from './record.js';
import { SessionNews } from './session-news.js';
import { type Change, type ConnectionKey, storeConnections, storeStatus } from './store.js';

const RETRY_MS = 2_000;

const STORED_AT_ONCE = 2;

/** Connections of one transaction. */
const STORED_TOGETHER = 250;

const CONNECTIONS_PER_TURN = 100;

interface Connection extends ConnectionKey {
  /** Null for a connection that only holds a voice state. */
  statement: Statement | null;
  isInVoice: boolean;
  /** Whether another process has it now. */
  isReleased?: true;
  /** Whether the user is still signed in. */
  isStillGood?: (() => Promise<boolean>) | undefined;
}

interface Pending {
  connection: Connection;
  /** Null if there was nothing to store. */
  resolve(change: Change | null): void;
  reject(error: unknown): void;
}

interface ConnectionsParts {
  live: LiveProcess;
  clock: Clock;
  log: Logger;
  callOfNobody: () => CallContext;
}

/**
 * Stores and publishes each user's presences in the order in which they were set. Retries failures until they succeed
 * or the process stops.
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  /** Connection ids from `openForRequests`, by user id. */
  readonly #ofRequests = new Map<bigint, string>();
  readonly #mutex = new KeyedMutex<bigint>();
  readonly #pending: Pending[] = [];
  /** Batches that are stored now. */
  #storing = 0;
  /** Callers that wait for stored presences. A failure releases them, because the database may be down for long. */
  readonly #waiting = new Set<() => void>();
  /** Users of whom a change may be stored that was not published. */
  readonly #unsure = new Set<bigint>();
  readonly #sessionNews: SessionNews;
  #isFailing = false;
  #isStopping = false;

  constructor(private readonly parts: ConnectionsParts) {
    this.#sessionNews = new SessionNews(parts);
  }

  /**
   * Settles after the user's guilds were notified, or at the first failure.
   * @param isStillGood for a connection that ends with the sign-in
   */
  open(key: ConnectionKey, statement: Statement, isStillGood?: () => Promise<boolean>): Promise<void> {
    const connection = { ...key, statement: { ...statement }, isStillGood, isInVoice: false };
    this.#open.set(key.id, connection);
    return this.#store(connection);
  }

  /** Ignored after the connection has closed. */
  async state(id: string, statement: Statement): Promise<void> {
    const connection = this.#open.get(id);
    if (!connection?.statement) return;
    connection.statement = statement;
    await this.#store(connection);
  }

  async close(id: string): Promise<void> {
    const connection = this.#open.get(id);
    if (!connection) return;
    this.#open.delete(id);
    if (this.#ofRequests.get(connection.userId) === id) this.#ofRequests.delete(connection.userId);
    if (!this.#isStopping && (connection.statement || connection.isInVoice)) await this.#store(connection);
  }

  /**
   * Call this when another process continues the connection.
   * @returns whether it was open
   */
  release(id: string): boolean {
    const connection = this.#open.get(id);
    if (connection) connection.isReleased = true;
    return this.#open.delete(id);
  }

  /** Continues a connection of another process, whose rows belong to this one now. The user may be in voice. */
  adopt(key: ConnectionKey, statement: Statement): void {
    this.#open.set(key.id, { ...key, statement: { ...statement }, isInVoice: true });
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** Closing the connection then ends the voice state. */
  holdVoice(id: string): void {
    const connection = this.#open.get(id);
    if (connection) connection.isInVoice = true;
  }

  /**
   * Opens a virtual connection, which holds the voice state of a user without a socket. It ends with the sign-in or the
   * process.
   * @returns its id, reused while it is open
   */
  openForRequests(userId: bigint, isStillGood: () => Promise<boolean>): string {
    const id = this.#ofRequests.get(userId) ?? randomUUID();
    this.#ofRequests.set(userId, id);
    this.#open.set(id, { id, userId, session: null, statement: null, isInVoice: true, isStillGood });
    return id;
  }

  /** @returns null if the user has no connection */
  async setStatus(userId: bigint, status: Status): Promise<ShownPresence | null> {
    for (const connection of this.#open.values()) {
      if (connection.userId === userId && connection.statement) connection.statement.status = status;
    }
    const change = await storeStatus(this.parts.callOfNobody(), userId, status).catch((error: unknown) => {
      this.#doubt(error, userId);
      throw error;
    });
    if (!change) return null;
    await this.#inLine(userId, () => this.#tell(change));
    return change.after;
  }

  /** Closes connections of signed-out users. @param userId undefined for all users */
  async checkSessions(userId?: bigint): Promise<void> {
    const asked = [...this.#open.values()].filter(
      (one) => one.isStillGood && (userId === undefined || one.userId === userId),
    );
    await forEachYielding(asked, CONNECTIONS_PER_TURN, (connection) => this.#check(connection));
  }

  /** Stores presences again after other processes considered this one dead. */
  async restate(): Promise<void> {
    await forEachYielding([...this.#open.values()], CONNECTIONS_PER_TURN, (connection) => {
      if (connection.statement) void this.#store(connection);
    });
  }

  /** After this, closing a connection changes no rows, because all presences end with the process. */
  stop(): void {
    this.#isStopping = true;
    this.#sessionNews.tell();
  }

  settle(): Promise<void> {
    return this.#mutex.settled();
  }

  async #check(connection: Connection): Promise<void> {
    try {
      if (await connection.isStillGood?.()) return;
    } catch (error) {
      // The sign-in state is unknown, so the next check decides.
      if (refusalIn(error)?.kind !== 'unauthenticated') return;
    }
    await this.close(connection.id);
  }

  #store(connection: Connection): Promise<void> {
    const { userId } = connection;
    return this.#inLine(userId, async () => {
      const change = await this.#untilDone(() => this.#storeNow(connection));
      if (change?.isOfSessions || this.#unsure.has(userId)) this.#sessionNews.add(userId);
      if (change) await this.#untilDone(() => this.#tell(change));
    });
  }

  #storeNow(connection: Connection): Promise<Change | null> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ connection, resolve, reject });
      if (this.#storing < STORED_AT_ONCE) void this.#storePending();
    });
  }

  /** Stores together what arrives in one iteration of the event loop, or while another batch is stored. */
  async #storePending(): Promise<void> {
    this.#storing += 1;
    for (await yieldOnce(); this.#pending.length > 0; await yieldOnce()) {
      await this.#storeBatch(this.#pending.splice(0, STORED_TOGETHER));
    }
    this.#storing -= 1;
  }

  async #storeBatch(all: readonly Pending[]): Promise<void> {
    const batch = all.filter(({ connection }) => !connection.isReleased);
    for (const { connection, resolve } of all) if (connection.isReleased) resolve(null);
    const { live } = this.parts;
    const processId = live.id;
    try {
      const states = batch.map(({ connection }) => ({
        ...connection,
        statement: this.#open.get(connection.id)?.statement ?? null,
      }));
      const changes = await storeConnections(this.parts.callOfNobody(), states);
      for (const [index, change] of changes.entries()) batch[index]?.resolve(change);
    } catch (error) {
      for (const { connection } of batch) this.#doubt(error, connection.userId);
      // A connection that cannot be stored must not keep the others from being stored.
      if (batch.length > 1 && !refusalIn(error)) {
        for (const one of batch) await this.#storeBatch([one]);
        return;
      }
      if (isMissingReference(error) && processId === live.id) await live.beginAnew().catch(() => {});
      for (const { reject } of batch) reject(error);
    }
  }

  async #tell(change: Change): Promise<void> {
    const { before, after } = change;
    if (looksAlike(before, after) && !this.#unsure.has(after.userId)) return;
    await publishPresence(this.parts.callOfNobody(), change);
    this.#unsure.delete(after.userId);
  }

  #doubt(error: unknown, userId: bigint): void {
    if (mayBeDone(error)) this.#unsure.add(userId);
  }

  /** @returns undefined if the process stops first */
  async #untilDone<T>(work: () => Promise<T>): Promise<T | undefined> {
    while (!this.#isStopping) {
      try {
        const result = await work();
        this.#isFailing = false;
        return result;
      } catch (error) {
        if (!refusalIn(error) && !isMissingReference(error)) {
          this.parts.log.error({ err: error }, 'Could not store or publish presences; trying again');
        }
        this.#isFailing = true;
        this.#letGo();
        await pause(this.parts.clock, RETRY_MS);
      }
    }
    return undefined;
  }

  /** Resolves when the work is done, or as soon as storing fails. Never rejects. */
  #inLine(userId: bigint, work: () => Promise<void>): Promise<void> {
    const done = this.#mutex
      .run(userId, work)
      .catch((error: unknown) => this.parts.log.error({ err: error }, 'Could not publish the presence of a user'));
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
