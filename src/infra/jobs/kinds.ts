import type { z } from 'zod';
import type { Clock } from '../clock.js';
import type { Prisma } from '../database/index.js';

type PayloadSchema = z.ZodType<unknown, Prisma.InputJsonObject>;

/**
 * Payload schemas by kind. Rows hold the names of kinds, so a kind whose payload changes its meaning needs a new name.
 */
export type JobPayloads = Readonly<Record<string, PayloadSchema>>;

export interface JobRun {
  /** Id of the job, the same in every attempt. It can serve as an idempotency key elsewhere. */
  id: bigint;
  /** 1 for the first. */
  attempt: number;
  clock: Clock;
  /**
   * Aborted when the process stops, the time limit passes or the lease is lost. Another process may then run the job.
   */
  signal: AbortSignal;
}

export interface JobKind<Schema extends PayloadSchema = PayloadSchema> {
  payload: Schema;
  atOnce: number;
  /** Default: {@link DEFAULT_TRIES}. */
  tries?: number;
  /**
   * Time limit of an attempt, in milliseconds. Default: {@link DEFAULT_MAX_MS}. After it, the attempt has failed
   * whatever its result: its signal is aborted, and the next one may start.
   */
  maxMs?: number;
  /**
   * Delay from the end of a recurring job to its next run, in milliseconds. All processes share one job of such a kind.
   * The first one to start adds it, due at once and with an empty payload. After its last failed attempt, the job waits
   * for its next run. Other jobs of the kind run once.
   */
  everyMs?: number;
  /**
   * Runs the job. It must be idempotent, because a job runs at least once: if its process dies or cannot store the
   * result in time, the lease expires and another attempt starts.
   * The job is done when this resolves. A thrown error means failure and is logged, so it must not contain secrets.
   * When `signal` is aborted, it should throw soon. An attempt that is aborted by a stop does not count, and the job is
   * due at once.
   */
  run(payload: z.output<Schema>, run: JobRun): Promise<void>;
}

export type JobKinds<Payloads extends JobPayloads = JobPayloads> = {
  readonly [Kind in keyof Payloads]: JobKind<Payloads[Kind]>;
};

export type NewJob<Payloads extends JobPayloads> = {
  [Kind in keyof Payloads & string]: {
    kind: Kind;
    payload: z.input<Payloads[Kind]>;
    /** Earliest start, in milliseconds since the Unix epoch. A time in the past means at once. */
    dueAt: number;
    /**
     * At most one unfinished job has this key. Another is not added. If the existing one is running, it runs once more
     * with its own payload.
     */
    key?: string;
  };
}[keyof Payloads & string];

/** Takes about an hour with {@link retryDelayMs}. */
const DEFAULT_TRIES = 10;

export function triesOf(kind: JobKind): number {
  return kind.tries ?? DEFAULT_TRIES;
}

const DEFAULT_MAX_MS = 10 * 60_000;

export function maxMsOf(kind: JobKind): number {
  return kind.maxMs ?? DEFAULT_MAX_MS;
}

const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 60 * 60_000;

/**
 * Delay before the next attempt, in milliseconds. It doubles each time up to an hour, less a random part of up to half,
 * so that jobs that failed together spread out.
 * @param attempt number of the failed attempt, from 1
 * @param chance at least 0, below 1
 */
export function retryDelayMs(attempt: number, chance = Math.random()): number {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1));
  return Math.round(longest * (1 - chance / 2));
}
