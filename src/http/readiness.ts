import { statfs } from 'node:fs/promises';
import type { AppContext } from '../context.js';
import { isDoneWithin } from '../infra/deadlines.js';
import type { EventLoopWatch } from '../infra/loop-lag.js';

/** Where an instance stands between its start and its end. */
export type Phase = 'starting' | 'ready' | 'draining';

export interface Readiness {
  status: 'ok' | 'unavailable';
  /** Why it cannot serve. */
  reason?: 'starting' | 'draining' | 'database';
  /** What it serves without, or slowly. */
  degraded: string[];
}

/** How long the database may take to answer, in milliseconds. */
const DATABASE_TIMEOUT_MS = 1_500;
/** How long an answer is good for, in milliseconds: however many ask, the database is asked once. */
const KEPT_MS = 1_000;
/** Below this many bytes, files, mails and SQLite may soon have no room. */
const LITTLE_ROOM = 64 * 1024 * 1024;
/** How late the event loop may be, in milliseconds. */
const LATE_MS = 500;

/** Tells whether the instance can serve, and what it lacks. */
export class ReadinessChecks {
  #database = { answers: true, askedAt: Number.NEGATIVE_INFINITY };
  #asking: Promise<void> | undefined;
  #isWatched = false;

  constructor(
    private readonly app: AppContext,
    private readonly loop: EventLoopWatch,
    private readonly phase: () => Phase,
  ) {}

  /** Whether anybody ever asked for this instance's health: somebody then hears of its end before it comes. */
  get isWatched(): boolean {
    return this.#isWatched;
  }

  /** Notes that somebody asks. */
  noteWatcher(): void {
    this.#isWatched = true;
  }

  async check(): Promise<Readiness> {
    const phase = this.phase();
    if (phase !== 'ready') return { status: 'unavailable', reason: phase, degraded: [] };
    await this.#askDatabase();
    const degraded = await this.#degraded();
    if (!this.#database.answers) return { status: 'unavailable', reason: 'database', degraded };
    // A drain may have begun meanwhile.
    return this.phase() === 'ready' ? { status: 'ok', degraded } : this.check();
  }

  #askDatabase(): Promise<void> {
    if (this.app.clock.now() - this.#database.askedAt < KEPT_MS) return Promise.resolve();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const answer = this.app.db.reader.$queryRaw`SELECT 1`;
    const answers = await isDoneWithin(DATABASE_TIMEOUT_MS, answer).catch(() => false);
    this.#database = { answers, askedAt: this.app.clock.now() };
  }

  async #degraded(): Promise<string[]> {
    const hasRoom = await hasRoomIn(this.app.config.dataDir);
    const isLate = this.loop.lagMs() > LATE_MS;
    return [...this.app.degraded(), ...(hasRoom ? [] : ['disk']), ...(isLate ? ['event-loop'] : [])];
  }
}

/** Whether a folder's file system has room for others than root; one that cannot be asked has none. */
async function hasRoomIn(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= LITTLE_ROOM;
  } catch {
    return false;
  }
}
