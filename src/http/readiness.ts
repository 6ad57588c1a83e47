import { statfs } from 'node:fs/promises';
import type { AppContext } from '../context.js';
import { isDoneWithin } from '../infra/concurrency/timeouts.js';
import type { EventLoopWatch } from '../infra/observability/loop-lag.js';
import type { DegradedPart } from '../infra/observability/metrics.js';

export type Phase = 'starting' | 'ready' | 'draining';

export interface Readiness {
  status: 'ok' | 'unavailable';
  reason?: 'starting' | 'draining' | 'database';
  degraded: DegradedPart[];
}

const DATABASE_TIMEOUT_MS = 1_500;
/** Cache time of a database check. */
const KEPT_MS = 1_000;
/** Free bytes below which the disk is degraded. */
const LITTLE_ROOM = 64 * 1024 * 1024;
/** Event loop lag above which the process is degraded. */
const LATE_MS = 500;

export class ReadinessChecks {
  #database = { answers: true, askedAt: Number.NEGATIVE_INFINITY };
  #asking: Promise<void> | undefined;
  #isWatched = false;

  constructor(
    private readonly app: AppContext,
    private readonly loop: EventLoopWatch,
    private readonly phase: () => Phase,
  ) {}

  /** Whether a health check was ever requested. If so, shutdown first gives it time to see the drain. */
  get isWatched(): boolean {
    return this.#isWatched;
  }

  noteWatcher(): void {
    this.#isWatched = true;
  }

  async check(): Promise<Readiness> {
    const phase = this.phase();
    if (phase !== 'ready') return { status: 'unavailable', reason: phase, degraded: [] };
    await this.#askDatabase();
    const degraded = await this.#degraded();
    if (!this.#database.answers) return { status: 'unavailable', reason: 'database', degraded };
    // A drain may have started in the meantime.
    return this.phase() === 'ready' ? { status: 'ok', degraded } : this.check();
  }

  #askDatabase(): Promise<void> {
    if (this.app.connectionClock.now() - this.#database.askedAt < KEPT_MS) return Promise.resolve();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const answer = this.app.db.reader.$queryRaw`SELECT 1`;
    const answers = await isDoneWithin(DATABASE_TIMEOUT_MS, answer).catch(() => false);
    this.#database = { answers, askedAt: this.app.connectionClock.now() };
  }

  async #degraded(): Promise<DegradedPart[]> {
    const hasCapacity = await hasCapacityIn(this.app.config.dataDir);
    const isLate = this.loop.lagMs() > LATE_MS;
    return [
      ...this.app.degraded(),
      ...(hasCapacity ? [] : ['disk' as const]),
      ...(isLate ? ['event-loop' as const] : []),
    ];
  }
}

/** Checks the space that users other than root can use. */
async function hasCapacityIn(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= LITTLE_ROOM;
  } catch {
    return false;
  }
}
