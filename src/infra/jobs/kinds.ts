import type { z } from 'zod';
import type { Clock } from '../clock.js';
import type { Prisma } from '../database/index.js';

/** Reads what is stored of a payload, which is an object of JSON, and makes of it what the handler is given. */
type PayloadSchema = z.ZodType<unknown, Prisma.InputJsonObject>;

/** What jobs of each kind need to know. The names stand in the rows: a kind with another meaning of its payload needs another name. */
export type JobPayloads = Readonly<Record<string, PayloadSchema>>;

/** One attempt to do a job. */
export interface JobRun {
  /** Of the job; the same in every attempt, so that it can name what must not be done twice elsewhere. */
  id: bigint;
  /** 1 for the first. */
  attempt: number;
  clock: Clock;
  /** Aborted when the process stops, the time is over or the lease is lost: somebody else may work on the job then. */
  signal: AbortSignal;
}

/** What is known of all jobs of one kind. */
export interface JobKind<Schema extends PayloadSchema = PayloadSchema> {
  payload: Schema;
  /** How many of them one process works on at a time. */
  atOnce: number;
  /** How often one is tried before it is dead; {@link DEFAULT_TRIES} when not given. */
  tries?: number;
  /**
   * How long an attempt may take, in milliseconds; {@link DEFAULT_MAX_MS} when not given. One that takes longer has failed, whatever
   * becomes of it: its signal is aborted, and the next may begin.
   */
  maxMs?: number;
  /**
   * How long after its end a recurring job is due again, in milliseconds. There is one job of such a kind among all processes, made
   * by the first that starts, due at once, with an empty payload. When its tries are used up, it is left until its next time.
   * What is added of such a kind besides is done once.
   */
  everyMs?: number;
  /**
   * Does the job. It is done at least once, and may be done twice: a process that dies while it works, or cannot say in time that it
   * is done, leaves a lease that runs out, and another attempt begins. So it must be idempotent.
   *
   * It is done when this resolves. To throw is to have failed, and what is thrown is logged, so it must not tell secrets. When
   * `signal` is aborted it should throw soon: after a stop the attempt does not count, and the job is due for others at once.
   */
  run(payload: z.output<Schema>, run: JobRun): Promise<void>;
}

/** How jobs are done, of every kind that there is a payload for. */
export type JobKinds<Payloads extends JobPayloads = JobPayloads> = {
  readonly [Kind in keyof Payloads]: JobKind<Payloads[Kind]>;
};

/** A job to be added, of one of the kinds. */
export type NewJob<Payloads extends JobPayloads> = {
  [Kind in keyof Payloads & string]: {
    kind: Kind;
    payload: z.input<Payloads[Kind]>;
    /** Not before this time, in milliseconds since the Unix epoch; at once where that is over. */
    dueAt: number;
    /**
     * Of all jobs with this key there is one at most, until it is done or dead. Another is not added; if that one is being worked on, it
     * is done once more, with the payload that it has.
     */
    key?: string;
  };
}[keyof Payloads & string];

/** With {@link retryDelayMs}, tried for one to two hours. */
const DEFAULT_TRIES = 10;

export function triesOf(kind: JobKind): number {
  return kind.tries ?? DEFAULT_TRIES;
}

/** Many times what a job takes that makes a few requests. */
const DEFAULT_MAX_MS = 10 * 60_000;

export function maxMsOf(kind: JobKind): number {
  return kind.maxMs ?? DEFAULT_MAX_MS;
}

const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 60 * 60_000;

/**
 * How long after a failure a job is due again, in milliseconds: twice as long each time up to an hour, less up to half of it by
 * chance, so that what failed together is not tried together.
 * @param attempt the one that failed; 1 for the first
 * @param chance at least 0, below 1
 */
export function retryDelayMs(attempt: number, chance = Math.random()): number {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1));
  return Math.round(longest * (1 - chance / 2));
}
