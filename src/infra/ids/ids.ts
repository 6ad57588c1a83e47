import type { Clock } from '../clock.js';

/** Epoch of Discord's snowflakes: 2015-01-01T00:00:00Z. */
export const SNOWFLAKE_EPOCH_MS = 1_420_070_400_000;

const SEQUENCE_BITS = 12n;
const TIMESTAMP_SHIFT = 22n;
const MAX_SEQUENCE = 4095;
/** Sequence bits that a box uses. The bits above them belong to its id space. */
const BOX_SEQUENCE_BITS = 8;

/**
 * Id spaces of boxes: bits 8 to 21 of an id, which are the worker and the upper four bits of the sequence
 * (docs/relay.md, R-15).
 */
export const ID_SPACES = { first: 4_096, last: 16_383 };

/** Ids made by the cloud are below {@link ID_SPACES}. */
export function idSpaceOf(id: bigint): number {
  return Number((id >> BigInt(BOX_SEQUENCE_BITS)) & 0x3fffn);
}

export function isMadeByBox(id: bigint): boolean {
  return idSpaceOf(id) >= ID_SPACES.first;
}

/** Discord's five bits of worker and five of process form one number here. */
export const MAX_WORKER = 1023;

/** Largest id that the database can store. */
export const MAX_ID = 2n ** 63n - 1n;

/** @param after a lower limit, from a process whose clock may be ahead. Ignored past the reserved milliseconds. */
export type NextId = (after?: bigint) => bigint;

/** Ids of one worker, after `afterMs` up to and including `throughMs` (milliseconds since the Unix epoch). */
export interface IdRange {
  worker: number;
  /** Sequence numbers per millisecond, inclusive. Default: all 4,096. */
  sequences?: { first: number; last: number };
  afterMs: number;
  throughMs: number;
}

/** The process holds no worker, or has used up its reserved milliseconds. */
export class NoIdsError extends Error {
  override readonly name = 'NoIdsError';
}

/**
 * Makes snowflakes: 42 bits of milliseconds since {@link SNOWFLAKE_EPOCH_MS}, 10 of worker, 12 of sequence.
 * Ids of one source always increase within a worker. If the clock is behind or past the range, or the sequence is used
 * up, the source continues from its last millisecond.
 */
export class SnowflakeSource {
  #range: IdRange | null = null;
  #lastMs = 0;
  #sequence = MAX_SEQUENCE;
  #sequences = { first: 0, last: MAX_SEQUENCE };

  constructor(private readonly clock: Clock) {}

  /** Last millisecond used for ids, possibly by the previous holder of the worker. */
  get lastMs(): number {
    return this.#lastMs;
  }

  get hasRange(): boolean {
    return this.#range !== null;
  }

  use(range: IdRange | null): void {
    if (range && !isWorker(range.worker)) {
      throw new RangeError(`a snowflake worker is a whole number from 0 to ${MAX_WORKER}, not ${range.worker}`);
    }
    this.#range = range;
    if (range) this.#sequences = range.sequences ?? { first: 0, last: MAX_SEQUENCE };
    if (!range || range.afterMs < this.#lastMs) return;
    this.#lastMs = range.afterMs;
    this.#sequence = MAX_SEQUENCE;
  }

  /**
   * @param after a lower limit, which is ignored past the range
   * @throws NoIdsError
   */
  next(after = 0n): bigint {
    const id = this.#next();
    if (id > after || snowflakeTime(after) >= (this.#range?.throughMs ?? 0)) return id;
    this.#lastMs = Math.max(this.#lastMs, snowflakeTime(after));
    this.#sequence = MAX_SEQUENCE;
    return this.#next();
  }

  #next(): bigint {
    if (!this.#range) throw new NoIdsError('this process has no snowflake worker');
    const { worker, throughMs } = this.#range;
    const { first, last } = this.#sequences;
    const now = this.clock.now();
    if (now > this.#lastMs && now <= throughMs) {
      this.#lastMs = now;
      this.#sequence = first;
    } else if (this.#sequence < last) {
      this.#sequence += 1;
    } else if (this.#lastMs < throughMs) {
      this.#lastMs += 1;
      this.#sequence = first;
    } else {
      throw new NoIdsError('the id range reserved for the snowflake worker is used up');
    }
    const time = BigInt(this.#lastMs - SNOWFLAKE_EPOCH_MS) << TIMESTAMP_SHIFT;
    return time | (BigInt(worker) << SEQUENCE_BITS) | BigInt(this.#sequence);
  }
}

function isWorker(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= MAX_WORKER;
}

/** For a worker that no other process has. */
export function snowflakes(clock: Clock, worker: number, afterMs = 0): NextId {
  const source = new SnowflakeSource(clock);
  source.use({ worker, afterMs, throughMs: Number.POSITIVE_INFINITY });
  return (after) => source.next(after);
}

/** 256 ids per millisecond, in an id space of {@link ID_SPACES}. */
export function boxSnowflakes(clock: Clock, idSpace: number, afterMs = 0): NextId {
  const source = new SnowflakeSource(clock);
  const perSpace = 1 << BOX_SEQUENCE_BITS;
  const first = (idSpace * perSpace) & MAX_SEQUENCE;
  const worker = (idSpace * perSpace) >> Number(SEQUENCE_BITS);
  const sequences = { first, last: first + perSpace - 1 };
  source.use({ worker, sequences, afterMs, throughMs: Number.POSITIVE_INFINITY });
  return (after) => source.next(after);
}

/** Milliseconds since the Unix epoch. */
export function snowflakeTime(id: bigint): number {
  return Number(id >> TIMESTAMP_SHIFT) + SNOWFLAKE_EPOCH_MS;
}

/** Smallest snowflake of the millisecond `ms`, for paging by time. */
export function snowflakeAt(ms: number): bigint {
  return BigInt(Math.max(0, ms - SNOWFLAKE_EPOCH_MS)) << TIMESTAMP_SHIFT;
}

const WRITTEN = /^(0|[1-9]\d{0,18})$/;

/** Undefined if the text is not canonical, or exceeds signed 64 bits. */
export function parseSnowflake(text: string): bigint | undefined {
  if (!WRITTEN.test(text)) return undefined;
  const id = BigInt(text);
  return id > MAX_ID ? undefined : id;
}
