import type { Reader } from '../../infra/database/index.js';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** Counts boxes that have been offline for at least an hour. Those that are offline for a week are out of use. */
export function countBoxesAway(read: Reader, now: number): Promise<number> {
  const lastSeenAt = { gt: new Date(now - WEEK_MS), lt: new Date(now - HOUR_MS) };
  return read.box.count({ where: { holderId: null, lastSeenAt } });
}
