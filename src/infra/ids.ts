import type { Clock } from './clock.js';

/** First millisecond of the reference platform's snowflakes (2015-01-01T00:00:00Z). */
export const SNOWFLAKE_EPOCH_MS = 1_420_070_400_000;

const SEQUENCE_BITS = 12n;
const TIMESTAMP_SHIFT = 22n;
const MAX_SEQUENCE = 4095;

/** The highest worker number of the layout: five bits of worker and five of process, used as one number of ten. */
export const MAX_WORKER = 1023;

export type NextId = () => bigint;

/**
 * A source of snowflakes: 42 bits of milliseconds since {@link SNOWFLAKE_EPOCH_MS}, 10 of worker, 12 of sequence.
 * Ids of one source only ever grow: when the clock steps back, or 4096 ids are taken within a millisecond, the source
 * goes on from the last time it used.
 */
export function snowflakes(clock: Clock, worker: number): NextId {
  if (!Number.isInteger(worker) || worker < 0 || worker > MAX_WORKER) {
    throw new RangeError(`a snowflake worker is a whole number from 0 to ${MAX_WORKER}, not ${worker}`);
  }
  const workerPart = BigInt(worker) << SEQUENCE_BITS;
  let lastMs = 0;
  let sequence = 0;
  return () => {
    const now = clock.now();
    if (now > lastMs) {
      lastMs = now;
      sequence = 0;
    } else if (sequence < MAX_SEQUENCE) {
      sequence += 1;
    } else {
      lastMs += 1;
      sequence = 0;
    }
    return (BigInt(lastMs - SNOWFLAKE_EPOCH_MS) << TIMESTAMP_SHIFT) | workerPart | BigInt(sequence);
  };
}

/** When a snowflake was made, in milliseconds since the Unix epoch. */
export function snowflakeTime(id: bigint): number {
  return Number(id >> TIMESTAMP_SHIFT) + SNOWFLAKE_EPOCH_MS;
}

/** The smallest snowflake that could have been made at `ms`, for paging by time. */
export function snowflakeAt(ms: number): bigint {
  return BigInt(Math.max(0, ms - SNOWFLAKE_EPOCH_MS)) << TIMESTAMP_SHIFT;
}
