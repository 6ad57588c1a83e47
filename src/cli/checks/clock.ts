import { type Check, failure, passed, skipped, warning } from './check.js';

/** A clock that a check read on its way. */
export interface ClockReading {
  /** Such as `PostgreSQL`. */
  of: string;
  /** Time there minus time here. */
  offsetMs: number;
  /** Uncertainty of the reading. */
  withinMs: number;
}

/** Ids and the order of events tolerate less than this between processes. */
const TOLERATED_MS = 2_000;

/** S3 stores refuse requests after 15 minutes. */
const FAILS_AFTER_MS = 10 * 60_000;

const ADVICE =
  'Let every machine synchronize its clock (chrony or systemd-timesyncd). A wrong clock gives messages wrong times, ' +
  'ends tokens and interactions early or late, and lets an S3 store refuse requests.';

export function checkClock(readings: readonly ClockReading[]): Check[] {
  if (readings.length === 0)
    return [skipped('clock', 'no PostgreSQL, Redis, S3 store or cloud to compare the clock with')];
  return readings.map(({ of, offsetMs, withinMs }) => {
    const size = Math.max(0, Math.abs(offsetMs) - withinMs);
    const text = `the clock of this machine is ${durationOf(size)} ${offsetMs > 0 ? 'behind' : 'ahead of'} that of ${of}`;
    if (size > FAILS_AFTER_MS) return failure('clock', text, ADVICE);
    if (size > TOLERATED_MS) return warning('clock', text, ADVICE);
    return passed('clock', `it agrees with that of ${of}`);
  });
}

function durationOf(ms: number): string {
  return ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
