import type { z } from 'zod';
import type { Clock } from '../clock.js';
import type { Prisma } from '../database/index.js';

type PayloadSchema = z.ZodType<unknown, Prisma.InputJsonObject>;

/** Rows hold the names of kinds, so a kind whose payload changes its meaning needs a new name. */
export type JobPayloads = Readonly<Record<string, PayloadSchema>>;

export interface JobRun {
  /** Id of the job, the same in every attempt, for use as an idempotency key. */
  id: bigint;
  /** Counts from 1. */
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
   * Time limit of an attempt, in milliseconds. Default: {@link DEFAULT_MAX_MS}. After it, the attempt counts as failed:
   * its signal is aborted, and the next one may start.
   */
  maxMs?: number;
  /**
   * Delay from the end of a recurring job to its next run, in milliseconds. All processes share this job. The first to
   * start adds it, due at once and with an empty payload. After its last failed attempt, it waits for its next run.
   * Other jobs of the kind run once.
   */
  everyMs?: number;
  /**
   * Must be idempotent: if the process dies or cannot store the result in time, the lease expires and another attempt
   * starts.
   * Errors are logged, so they must not contain secrets.
   * When `signal` is aborted, this should throw soon. An attempt that a stop aborts does not count, and the job is due
   * at once.
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
    /** Earliest start, in milliseconds since the Unix epoch. */
    dueAt: number;
    /**
     * At most one unfinished job has this key. If it is running when another is added, it runs again with its own
     * payload.
     */
    key?: string;
  };
}[keyof Payloads & string];

/** All attempts take about an hour with {@link retryDelayMs}. */
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
 * Delay before the next attempt. It doubles up to an hour, less a random part of up to half that spreads out jobs that
 * failed together.
 * @param attempt number of the failed attempt, from 1
 * @param chance at least 0, below 1
 */
export function retryDelayMs(attempt: number, chance = Math.random()): number {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1));
  return Math.round(longest * (1 - chance / 2));
}
