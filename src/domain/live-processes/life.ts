import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../infra/clock.js';
import type { Database } from '../../infra/database/index.js';
import type { InstanceKeys } from '../../infra/instance-keys.js';
import type { Logger } from '../../infra/logger.js';
import { refusalIn } from '../errors.js';
import { type Conflict, findConflict } from './company.js';
import {
  ALIVE_MS,
  addLastingProcess,
  addProcess,
  findEndedProcesses,
  findOtherProcesses,
  prolongProcess,
  removeProcess,
} from './rows.js';

/** How often a process says that it is alive, and looks for those that are not any more, in milliseconds. */
const RENEW_EVERY_MS = ALIVE_MS / 3;

/** After how long a process that is gone, or was never let in, is not to be seen any more, in milliseconds. */
const SEEN_FOR_MS = ALIVE_MS + RENEW_EVERY_MS;

export interface LifeParts {
  db: Database;
  clock: Clock;
  log: Logger;
  keys: InstanceKeys;
  /** Whether other processes share the database. */
  isShared: boolean;
}

/** What happens to what belongs to processes. */
export interface LifeEvents {
  /** Ends what a process left behind, and its row. */
  endProcess(processId: string): Promise<void>;
  /** This process was taken for dead: what belongs to it has to be said anew, under its new id. */
  onLost(): void;
}

/**
 * That this process is there: who is connected to it counts as connected as long as its row says that it lives. Processes that
 * share a database say so every ten seconds, by the database's clock, and end what belonged to one that did not for half a minute. A
 * process alone has nobody to tell; it ends at its start what is left of the one before.
 */
export class LiveProcess {
  #id = randomUUID();
  /** How far the database's clock is ahead of this process's, in milliseconds. */
  #aheadMs = 0;
  #events: LifeEvents | null = null;
  #renewal: Timer | null = null;
  #look: Timer | null = null;
  #adding: Promise<void> | null = null;
  #isOver = false;
  #tellConflict: (conflict: Conflict) => void = () => {};
  /** Settles when this process has come back to find others beside which it must not work. */
  readonly conflict = new Promise<Conflict>((resolve) => {
    this.#tellConflict = resolve;
  });

  constructor(private readonly parts: LifeParts) {}

  /** What rows of this process's connections belong to. */
  get id(): string {
    return this.#id;
  }

  /** Whether other processes share the database. */
  get isShared(): boolean {
    return this.parts.isShared;
  }

  /** Rows count that belong to a process which lives longer than this. */
  now(): Date {
    return new Date(this.parts.clock.now() + this.#aheadMs);
  }

  /**
   * Adds this process to those that live, unless it cannot live beside them.
   * @returns why it cannot
   */
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

  /** Begins the life of this process, which has joined, and ends what others left behind. */
  async begin(events: LifeEvents): Promise<void> {
    this.#events = events;
    await this.#endOthers();
    if (this.isShared) this.#renewLater();
  }

  /**
   * Others may have come while this process was away, and did not see it. A start that is refused, and a process that was killed, are to
   * be seen for a while, too: who is still there after that stays.
   */
  async #lookAgain(wasThere = false): Promise<void> {
    this.#look?.cancel();
    if (this.#isOver) return;
    try {
      const conflict = await this.#findConflict();
      if (conflict && wasThere) this.#tellConflict(conflict);
      else if (conflict) this.#lookLater(SEEN_FOR_MS, true);
    } catch (error) {
      this.#tellFault(error, 'this process could not look for others');
      this.#lookLater(RENEW_EVERY_MS, wasThere);
    }
  }

  #lookLater(ms: number, wasThere: boolean): void {
    if (!this.#isOver) this.#look = this.parts.clock.after(ms, () => void this.#lookAgain(wasThere));
  }

  /** Adds the row of this process, which is not there (any more). Of several who ask at once, one does. */
  add(): Promise<void> {
    this.#adding ??= this.#add().finally(() => {
      this.#adding = null;
    });
    return this.#adding;
  }

  async #add(): Promise<void> {
    const id = randomUUID();
    if (this.isShared) this.#note(await addProcess(this.parts.db, id, this.parts.keys.fingerprints));
    else await addLastingProcess(this.parts.db, id);
    this.#id = id;
  }

  /** The process was taken for dead: it begins another life. */
  async beginAnew(): Promise<void> {
    await this.add();
    void this.#lookAgain();
    this.#events?.onLost();
  }

  /** Ends what belongs to this process, which holds nothing any more. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#renewal?.cancel();
    this.#look?.cancel();
    await this.#events?.endProcess(this.#id);
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
      this.#tellFault(error, 'this process could not say that it is alive');
    }
    this.#renewLater();
  }

  /** That the database is away is told of elsewhere. */
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
