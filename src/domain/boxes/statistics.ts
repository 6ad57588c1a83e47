import type { Reader } from '../../infra/database/index.js';
import { RELAY_OUTCOMES } from '../../infra/observability/metrics.js';

const HOUR_MS = 3_600_000;

/** Includes the current hour. */
export const HOURS_SHOWN = 24;

/** Upper bounds of the histogram, in milliseconds. The last one includes longer times; no request waits that long. */
export const ADDED_UP_TO_MS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000,
] as const;

/** Stored if the added time is unknown. */
export const NOT_KNOWN = 0;

export const ROWS_PER_BOX = { hours: HOURS_SHOWN * RELAY_OUTCOMES.length, added: ADDED_UP_TO_MS.length } as const;

/** Hours since the Unix epoch. */
export function hourOf(now: number): number {
  return Math.floor(now / HOUR_MS);
}

export function stepOf(addedMs: number): number {
  const step = ADDED_UP_TO_MS.findIndex((upToMs) => addedMs <= upToMs);
  return step === -1 ? ADDED_UP_TO_MS.length - 1 : step;
}

interface HourCount {
  boxId: bigint;
  hour: number;
  outcome: string;
  count: number;
}

export interface AddedCount {
  addedUpToMs: number;
  count: number;
}

/** Ordered by box. @param take maximum number of rows */
export async function hoursOfBoxes(
  read: Pick<Reader, 'boxMeasure'>,
  boxIds: bigint[],
  now: number,
  take: number,
): Promise<HourCount[]> {
  const rows = await read.boxMeasure.groupBy({
    by: ['boxId', 'hour', 'outcome'],
    where: { boxId: { in: boxIds }, ...shownAt(now) },
    _sum: { count: true },
    orderBy: { boxId: 'asc' },
    take,
  });
  return rows.map(({ _sum, ...row }) => ({ ...row, count: _sum.count ?? 0 }));
}

/** Ordered by box. @param take maximum number of rows */
export async function addedOfBoxes(
  read: Pick<Reader, 'boxMeasure'>,
  boxIds: bigint[],
  now: number,
  take: number,
): Promise<(AddedCount & { boxId: bigint })[]> {
  const rows = await read.boxMeasure.groupBy({
    by: ['boxId', 'addedUpToMs'],
    where: { boxId: { in: boxIds }, ...shownAt(now), addedUpToMs: { gt: NOT_KNOWN } },
    _sum: { count: true },
    orderBy: { boxId: 'asc' },
    take,
  });
  return rows.map(({ _sum, ...row }) => ({ ...row, count: _sum.count ?? 0 }));
}

/** Excludes hours that processes with a fast clock stored. */
function shownAt(now: number) {
  return { hour: { gt: hourOf(now) - HOURS_SHOWN, lte: hourOf(now) } };
}

export interface BoxStatistics {
  requests: number;
  /** By HTTP status. */
  failures: { status: number; count: number }[];
  /** Rounded up to {@link ADDED_UP_TO_MS}. Null unless the box reported its own time for a response. */
  addedP50Ms: number | null;
  addedP95Ms: number | null;
  /** Oldest first. */
  hours: { startsAt: Date; requests: number; failed: number }[];
}

/** @param now milliseconds since the Unix epoch */
export function statisticsOf(
  hours: readonly Omit<HourCount, 'boxId'>[],
  added: readonly AddedCount[],
  now: number,
): BoxStatistics {
  const first = hourOf(now) - HOURS_SHOWN + 1;
  return {
    requests: sumOf(hours),
    failures: FAULTS.map((fault) => ({
      status: Number(fault),
      count: sumOf(hours.filter(({ outcome }) => outcome === fault)),
    })),
    addedP50Ms: percentileOf(added, 0.5),
    addedP95Ms: percentileOf(added, 0.95),
    hours: Array.from({ length: HOURS_SHOWN }, (_, index) => {
      const counts = hours.filter(({ hour }) => hour === first + index);
      return {
        startsAt: new Date((first + index) * HOUR_MS),
        requests: sumOf(counts),
        failed: sumOf(counts.filter(({ outcome }) => outcome !== 'answered')),
      };
    }),
  };
}

const FAULTS = RELAY_OUTCOMES.filter((outcome) => outcome !== 'answered');

function sumOf(counts: readonly { count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** @param fraction greater than 0, at most 1 @returns null if there are no counts */
export function percentileOf(added: readonly AddedCount[], fraction: number): number | null {
  const rank = Math.ceil(sumOf(added) * fraction);
  let counted = 0;
  for (const { addedUpToMs, count } of added.toSorted((a, b) => a.addedUpToMs - b.addedUpToMs)) {
    counted += count;
    if (counted >= rank) return addedUpToMs;
  }
  return null;
}
