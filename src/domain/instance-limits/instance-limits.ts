import { CACHE_MS } from '../../infra/caching/subscribed-cache.js';
import type { Clock } from '../../infra/clock.js';
import { Mutex } from '../../infra/concurrency/mutex.js';
import type { InstanceLimit, Reader } from '../../infra/database/index.js';
import type { Logger } from '../../infra/observability/logger.js';
import type { ProcessReports } from '../../infra/processes/reports.js';
import { STREAM_GAP } from '../../infra/streams/stream.js';
import { topics } from '../../infra/streams/topics.js';
import type { EventBus } from '../bus-message.js';
import { isLimitKind, type LimitKind, limitOf } from './kinds.js';
import { RecentRefusals } from './recent-refusals.js';

/** Subject of the value for the whole instance. */
export const WHOLE_INSTANCE = '';

interface Parts {
  reader: Reader;
  bus: Pick<EventBus, 'subscribe' | 'isShared'>;
  clock: Clock;
  connectionClock: Clock;
  log: Logger;
  reports: ProcessReports | null;
  /** In MiB. */
  filesPerAccountMb: number;
}

/**
 * The values that operators set, in memory, so that checking a limit waits for nothing. A change is read at once in
 * every process. Processes that share a database also read every {@link CACHE_MS}, in case an event is lost.
 */
export class InstanceLimits {
  readonly refusals: RecentRefusals;
  #values: ReadonlyMap<LimitKind, ReadonlyMap<string, number>> = new Map();
  #readAt = 0;
  readonly #mutex = new Mutex();

  constructor(private readonly parts: Parts) {
    this.refusals = new RecentRefusals(parts);
    const subscription = parts.bus.subscribe(
      topics.limits,
      ({ type }) => {
        if (type === STREAM_GAP || type === 'LIMITS_UPDATED') void this.renew();
      },
      { early: true },
    );
    if (!subscription.isComplete) void subscription.ready.then(() => this.renew());
  }

  /** Reads the values. */
  load(): Promise<void> {
    this.#readAt = this.parts.connectionClock.now();
    return this.#mutex.run(async () => {
      this.#values = byKind(await this.parts.reader.instanceLimit.findMany());
    });
  }

  /** The value that an operator set for the subject or the instance. */
  ownValue(kind: LimitKind, ...subjects: string[]): number | undefined {
    this.#renewIfOld();
    const values = this.#values.get(kind);
    if (values === undefined) return undefined;
    for (const subject of subjects) {
      const value = values.get(subject);
      if (value !== undefined) return value;
    }
    return values.get(WHOLE_INSTANCE);
  }

  valueOf(kind: LimitKind, subject: string): number {
    return this.ownValue(kind, subject) ?? this.defaultOf(kind);
  }

  defaultOf(kind: LimitKind): number {
    return limitOf(kind).preset ?? this.parts.filesPerAccountMb;
  }

  #renewIfOld(): void {
    if (this.parts.bus.isShared && this.parts.connectionClock.now() - this.#readAt >= CACHE_MS) void this.renew();
  }

  /** Reads the values again. Only logs a failure. */
  async renew(): Promise<void> {
    try {
      await this.load();
    } catch (error) {
      this.parts.log.warn({ err: error }, 'Could not read the limits that operators set; the last known ones stay');
    }
  }
}

function byKind(rows: readonly InstanceLimit[]): Map<LimitKind, Map<string, number>> {
  const values = new Map<LimitKind, Map<string, number>>();
  for (const { kind, subject, value } of rows) {
    // Another version may know more kinds.
    if (isLimitKind(kind)) values.set(kind, (values.get(kind) ?? new Map<string, number>()).set(subject, value));
  }
  return values;
}
