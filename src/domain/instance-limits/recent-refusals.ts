import { LRUCache } from 'lru-cache';
import { atMost } from '../../infra/caching/at-most.js';
import type { Clock } from '../../infra/clock.js';
import { DelayedTask } from '../../infra/concurrency/delayed-task.js';
import type { ProcessReports } from '../../infra/processes/reports.js';
import { isLimitKind, LIMIT_KINDS, type LimitKind } from './kinds.js';

export interface Refusals {
  kind: LimitKind;
  /** Id of a person or bot, or a network address. */
  subject: string;
  count: number;
  /** Times in milliseconds since the Unix epoch. */
  since: number;
  lastAt: number;
  /** End of the limit's window. Null if it has none. */
  until: number | null;
}

/** After a subject's last refusal, in milliseconds. Addresses are personal data. */
const REMEMBERED_MS = 10 * 60_000;

const SUBJECTS_PER_KIND = 200;

/** How often a process reports to the others at most, in milliseconds. */
const REPORT_EVERY_MS = 1_000;

/**
 * Subjects that were refused by limits that operators change. Each process remembers its own refusals in memory, and reports them
 * through Redis.
 */
export class RecentRefusals {
  readonly #clock: Clock;
  readonly #reports: ProcessReports | null;
  readonly #report: DelayedTask;
  readonly #own = new Map<LimitKind, LRUCache<string, Refusals>>();

  constructor(parts: { clock: Clock; connectionClock: Clock; reports: ProcessReports | null }) {
    this.#clock = parts.clock;
    this.#reports = parts.reports;
    this.#report = new DelayedTask(parts.connectionClock, () => this.#send());
  }

  note(kind: LimitKind, subject: string, resetAfterMs: number | null): void {
    const now = this.#clock.now();
    const before = this.#of(kind).get(subject);
    this.#of(kind).set(subject, {
      kind,
      subject,
      count: (before?.count ?? 0) + 1,
      since: before?.since ?? now,
      lastAt: now,
      until: resetAfterMs === null ? null : now + resetAfterMs,
    });
    this.#changed();
  }

  /** The subject has room again. */
  forget(kind: LimitKind, subject: string): void {
    if (this.#own.get(kind)?.delete(subject)) this.#changed();
  }

  /** Of all processes, newest first. Of this process alone while Redis is unavailable. */
  async list(): Promise<Refusals[]> {
    const others = (await this.#reports?.ofOthers()) ?? [];
    const all = [...this.#listOwn(), ...others.flatMap((text) => JSON.parse(text) as Refusals[])];
    const merged = new Map<string, Refusals>();
    for (const one of all) {
      // Another version may know more kinds.
      if (!isLimitKind(one.kind) || this.#clock.now() - one.lastAt > REMEMBERED_MS) continue;
      const key = `${one.kind} ${one.subject}`;
      const same = merged.get(key);
      merged.set(key, same ? sumOf(same, one) : one);
    }
    return [...merged.values()].sort((a, b) => b.lastAt - a.lastAt);
  }

  #of(kind: LimitKind): LRUCache<string, Refusals> {
    const known = this.#own.get(kind);
    if (known) return known;
    const made = new LRUCache<string, Refusals>({
      ...atMost(SUBJECTS_PER_KIND),
      ttl: REMEMBERED_MS,
      ttlResolution: 0,
      perf: this.#clock,
    });
    this.#own.set(kind, made);
    return made;
  }

  #listOwn(): Refusals[] {
    return LIMIT_KINDS.flatMap((kind) => [...(this.#own.get(kind)?.values() ?? [])]);
  }

  #changed(): void {
    if (this.#reports) this.#report.for(REPORT_EVERY_MS);
  }

  async #send(): Promise<void> {
    await this.#reports?.write(JSON.stringify(this.#listOwn()));
  }
}

function sumOf(a: Refusals, b: Refusals): Refusals {
  const last = a.lastAt < b.lastAt ? b : a;
  return { ...last, count: a.count + b.count, since: Math.min(a.since, b.since) };
}
