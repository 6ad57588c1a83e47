import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../infra/clock.js';
import type { InstanceKeys } from '../../infra/crypto/instance-keys.js';
import type { Database } from '../../infra/database/index.js';
import type { Logger } from '../../infra/observability/logger.js';
import { refusalIn } from '../errors.js';
import { type Conflict, findConflict } from './conflicts.js';
import {
  ALIVE_MS,
  addLastingProcess,
  addProcess,
  expireProcess,
  findEndedProcesses,
  findOtherProcesses,
  prolongProcess,
  removeProcess,
} from './rows.js';

/** In milliseconds. */
const RENEW_EVERY_MS = ALIVE_MS / 3;

/** Milliseconds that the row of a killed or rejected process stays visible. */
const SEEN_FOR_MS = ALIVE_MS + RENEW_EVERY_MS;

/** Stands before the number in the id of a process. */
const NUMBER = ':';

export function instanceOf(processId: string): string {
  return processId.split(NUMBER)[0] ?? processId;
}

export interface LiveProcessParts {
  db: Database;
  clock: Clock;
  log: Logger;
  keys: InstanceKeys;
  isShared: boolean;
}

export interface HeartbeatEvents {
  /** Removes a process's connections and its row. */
  endProcess(processId: string): Promise<void>;
  /** Called after this process's row expired. Its connections must be stored again under the new id. */
  onLost(): void;
}

/**
 * This process's row. While it is valid, the process's connections count as open. Processes that share a database renew
 * their rows every ten seconds. They clean up after rows that expired after 30 seconds, by the database's clock. A
 * process with its own database cleans up after its predecessor when it starts.
 */
export class LiveProcess {
  /** The beginning of all ids of this process. */
  readonly instance = randomUUID();
  #ids = 0;
  #id = this.#nextId();
  /** Database clock minus this process's clock, in milliseconds. */
  #aheadMs = 0;
  #events: HeartbeatEvents | null = null;
  #renewal: Timer | null = null;
  #look: Timer | null = null;
  #adding: Promise<void> | null = null;
  #isOver = false;
  #tellConflict: (conflict: Conflict) => void = () => {};
  /** Resolves if this process lost the database and then finds a process that it must not run with. */
  readonly conflict = new Promise<Conflict>((resolve) => {
    this.#tellConflict = resolve;
  });

  constructor(private readonly parts: LiveProcessParts) {}

  get id(): string {
    return this.#id;
  }

  isOwn(id: string): boolean {
    return instanceOf(id) === this.instance;
  }

  get isShared(): boolean {
    return this.parts.isShared;
  }

  /** The database's time. Rows count if their process's row ends later. */
  now(): Date {
    return new Date(this.parts.clock.now() + this.#aheadMs);
  }

  /** If there is a conflict, adds no row. */
  async join(): Promise<Conflict | null> {
    this.parts.db.alone?.onRegained(() => void this.#lookAgain());
    await this.add();
    const conflict = await this.#findConflict();
    if (conflict) await removeProcess(this.parts.db, this.id);
    return conflict;
  }

  #findConflict(): Promise<Conflict | null> {
    const { db, isShared, keys } = this.parts;
    return findConflict({ db, id: this.id, isShared, keys: keys.fingerprints });
  }

  /** Call after {@link join}. */
  async begin(events: HeartbeatEvents): Promise<void> {
    this.#events = events;
    await this.#endOthers();
    if (this.isShared) this.#renewLater();
  }

  /**
   * After an absence, other processes may run. Only a second finding counts, because rows of rejected and killed
   * processes stay visible for a while.
   */
  async #lookAgain(wasThere = false): Promise<void> {
    this.#look?.cancel();
    if (this.#isOver) return;
    try {
      const conflict = await this.#findConflict();
      if (conflict && wasThere) this.#tellConflict(conflict);
      else if (conflict) this.#lookLater(SEEN_FOR_MS, true);
    } catch (error) {
      this.#tellFault(error, 'Could not check for conflicting processes; trying again');
      this.#lookLater(RENEW_EVERY_MS, wasThere);
    }
  }

  #lookLater(ms: number, wasThere: boolean): void {
    if (!this.#isOver) this.#look = this.parts.clock.after(ms, () => void this.#lookAgain(wasThere));
  }

  /** Uses a new id. Concurrent calls share one insert. */
  add(): Promise<void> {
    this.#adding ??= this.#add().finally(() => {
      this.#adding = null;
    });
    return this.#adding;
  }

  async #add(): Promise<void> {
    const id = this.#nextId();
    if (this.isShared) this.#note(await addProcess(this.parts.db, id, this.parts.keys.fingerprints));
    else await addLastingProcess(this.parts.db, id);
    this.#id = id;
  }

  #nextId(): string {
    this.#ids += 1;
    return `${this.instance}${NUMBER}${this.#ids}`;
  }

  async beginAnew(): Promise<void> {
    await this.add();
    void this.#lookAgain();
    this.#events?.onLost();
  }

  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#stop();
    await this.#events?.endProcess(this.#id);
  }

  /** Ends, and leaves the connections that have moved out of this process to the next. */
  async endButKeepRows(): Promise<void> {
    this.#stop();
    if (this.isShared) await expireProcess(this.parts.db, this.#id);
  }

  #stop(): void {
    this.#isOver = true;
    this.#renewal?.cancel();
    this.#look?.cancel();
  }

  #renewLater(): void {
    if (!this.#isOver) this.#renewal = this.parts.clock.after(RENEW_EVERY_MS, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    try {
      const now = await prolongProcess(this.parts.db, this.#id);
      if (this.#isOver) return;
      if (now === null) await this.beginAnew();
      else this.#note(now);
      await this.#endOthers();
    } catch (error) {
      this.#tellFault(error, 'Could not renew the heartbeat of this process; trying again');
    }
    this.#renewLater();
  }

  /** An unavailable database is logged elsewhere. */
  #tellFault(error: unknown, text: string): void {
    if (!refusalIn(error)) this.parts.log.error({ err: error }, text);
  }

  async #endOthers(): Promise<void> {
    const { db } = this.parts;
    const others = this.isShared ? await findEndedProcesses(db) : await findOtherProcesses(db, this.#id);
    for (const id of others) await this.#events?.endProcess(id);
  }

  #note(databaseNow: number): void {
    this.#aheadMs = databaseNow - this.parts.clock.now();
  }
}
