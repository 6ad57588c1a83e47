import type { Clock } from './clock.js';

/** First millisecond of the reference platform's snowflakes (2015-01-01T00:00:00Z). */
export const SNOWFLAKE_EPOCH_MS = 1_420_070_400_000;

const SEQUENCE_BITS = 12n;
const TIMESTAMP_SHIFT = 22n;
const MAX_SEQUENCE = 4095;
/** Of a box's ids, the bits of its sequence that count within a millisecond; those above them are its id space's. */
const BOX_SEQUENCE_BITS = 8;

/** Which ids a box makes: their bits 8 to 21, the worker and the upper half of a byte of the sequence (docs/relay.md, R-15). */
export const ID_SPACES = { first: 4_096, last: 16_383 };

/** The id space of a snowflake: below {@link ID_SPACES} for one that the cloud made. */
export function idSpaceOf(id: bigint): number {
  return Number((id >> BigInt(BOX_SEQUENCE_BITS)) & 0x3fffn);
}

/** Whether a box made it, as far as the id tells. */
export function isMadeByBox(id: bigint): boolean {
  return idSpaceOf(id) >= ID_SPACES.first;
}

/** The highest worker number of the layout: five bits of worker and five of process, used as one number of ten. */
export const MAX_WORKER = 1023;

/** The greatest id that the database can hold. */
export const MAX_ID = 2n ** 63n - 1n;

export type NextId = () => bigint;

/** Which ids may be made: those of one worker, of milliseconds since the Unix epoch after one and up to another. */
export interface IdRange {
  worker: number;
  /** Which of the 4,096 numbers of each millisecond, both included; all of them where it is not said. */
  sequences?: { first: number; last: number };
  afterMs: number;
  throughMs: number;
}

/** No id can be made at present, because no worker is held or its reserved milliseconds are used up. */
export class NoIdsError extends Error {
  override readonly name = 'NoIdsError';
}

/**
 * Makes snowflakes: 42 bits of milliseconds since {@link SNOWFLAKE_EPOCH_MS}, 10 of worker, 12 of sequence.
 * Ids of one source only ever grow within a worker: when the clock steps back or beyond the range, or 4096 ids are taken within
 * a millisecond, the source goes on from the last millisecond it used.
 */
export class SnowflakeSource {
  #range: IdRange | null = null;
  #lastMs = 0;
  #sequence = MAX_SEQUENCE;
  #sequences = { first: 0, last: MAX_SEQUENCE };

  constructor(private readonly clock: Clock) {}

  /** The last millisecond that ids were made of, or may have been by whoever had the worker before. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** Whether there is a range to make ids of. */
  get hasRange(): boolean {
    return this.#range !== null;
  }

  /** Makes ids of `range` from now on; none when that is null. */
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

  /** @throws NoIdsError */
  next(): bigint {
    if (!this.#range) throw new NoIdsError('this process holds no snowflake worker');
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
      throw new NoIdsError('the milliseconds reserved for the snowflake worker are used up');
    }
    const time = BigInt(this.#lastMs - SNOWFLAKE_EPOCH_MS) << TIMESTAMP_SHIFT;
    return time | (BigInt(worker) << SEQUENCE_BITS) | BigInt(this.#sequence);
  }
}

function isWorker(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= MAX_WORKER;
}

/** A source of snowflakes for a worker that nobody else has, of milliseconds after `afterMs`, without an end. */
export function snowflakes(clock: Clock, worker: number, afterMs = 0): NextId {
  const source = new SnowflakeSource(clock);
  source.use({ worker, afterMs, throughMs: Number.POSITIVE_INFINITY });
  return () => source.next();
}

/** The same for a box with an id space of {@link ID_SPACES}: 256 of each millisecond. */
export function boxSnowflakes(clock: Clock, idSpace: number, afterMs = 0): NextId {
  const source = new SnowflakeSource(clock);
  const perSpace = 1 << BOX_SEQUENCE_BITS;
  const first = (idSpace * perSpace) & MAX_SEQUENCE;
  const worker = (idSpace * perSpace) >> Number(SEQUENCE_BITS);
  const sequences = { first, last: first + perSpace - 1 };
  source.use({ worker, sequences, afterMs, throughMs: Number.POSITIVE_INFINITY });
  return () => source.next();
}

/** When a snowflake was made, in milliseconds since the Unix epoch. */
export function snowflakeTime(id: bigint): number {
  return Number(id >> TIMESTAMP_SHIFT) + SNOWFLAKE_EPOCH_MS;
}

/** The smallest snowflake that could have been made at `ms`, for paging by time. */
export function snowflakeAt(ms: number): bigint {
  return BigInt(Math.max(0, ms - SNOWFLAKE_EPOCH_MS)) << TIMESTAMP_SHIFT;
}

/** A number as it is written, of as many digits as the greatest has; longer ones are not even read. */
const WRITTEN = /^(0|[1-9]\d{0,18})$/;

/** The id that decimal text stands for; undefined for text that no id is written as, and for one outside signed 64 bits. */
export function parseSnowflake(text: string): bigint | undefined {
  if (!WRITTEN.test(text)) return undefined;
  const id = BigInt(text);
  return id > MAX_ID ? undefined : id;
}
