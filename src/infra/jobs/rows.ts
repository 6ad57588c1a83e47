import type { Job, PrismaClient, Reader, Transaction } from '../database/index.js';

/** What every write of a job goes through; outside a transaction each is one statement. */
type Writer = Pick<PrismaClient, 'job'>;

/** A job as long as somebody works on it. Whatever they write is written only while `holder` still names them. */
export type HeldJob = Job & { holder: string };

/** Whether it is the one of its kind that comes again: the kind's name is its key. */
export function isRecurring({ kind, key }: Job): boolean {
  return key === kind;
}

/** How long a job belongs to who took it, in milliseconds, unless they prolong it. */
export const LEASE_MS = 60_000;

/**
 * Adds a job, unless there is one with its key.
 * @param db may be a transaction: the job is there when that is committed
 */
export async function insertJob(
  db: Transaction,
  job: Pick<Job, 'id' | 'kind' | 'key'> & { payload: object; dueAt: Date },
): Promise<void> {
  if (job.key === null) await db.job.create({ data: job });
  // One statement on both databases (ON CONFLICT DO UPDATE), which changes nothing of a row that is there.
  else await db.job.upsert({ where: { key: job.key }, create: job, update: { key: job.key } });
}

/** The jobs of these kinds that are due first, or will be. */
export function nextJobs(read: Reader, kinds: string[], count: number): Promise<Pick<Job, 'id' | 'kind' | 'dueAt'>[]> {
  return read.job.findMany({
    where: { kind: { in: kinds }, dueAt: { not: null } },
    orderBy: { dueAt: 'asc' },
    take: count,
    select: { id: true, kind: true, dueAt: true },
  });
}

/**
 * Takes a job if it is due. Of several who try one succeeds: for the others it is due when the lease of the first ends.
 *
 * All times are those of the processes' own clocks. Whoever's clock is ahead begins so much too early, and by more than a lease only
 * takes what another still works on; that is then done twice, as after the death of a process.
 */
export async function takeJob({ job }: Writer, id: bigint, holder: string, now: number): Promise<HeldJob | null> {
  const [taken] = await job.updateManyAndReturn({
    where: { id, dueAt: { lte: new Date(now) } },
    data: { holder, dueAt: new Date(now + LEASE_MS), attempts: { increment: 1 } },
  });
  return taken ? { ...taken, holder } : null;
}

/** Prolongs a lease. @returns false when the job is somebody else's, or gone */
export function renewJob({ job }: Writer, held: HeldJob, now: number): Promise<boolean> {
  return changeHeld({ job }, held, { dueAt: new Date(now + LEASE_MS) });
}

/** Lets everybody take a job from `dueAt` on, after as many attempts as stated. @returns false when it was somebody else's */
export function releaseJob({ job }: Writer, held: HeldJob, dueAt: number, attempts: number): Promise<boolean> {
  return changeHeld({ job }, held, { holder: null, dueAt: new Date(dueAt), attempts });
}

/** Keeps a job that nobody is to try again, for people to see. Its key is free. @returns false when it was somebody else's */
export function markDead({ job }: Writer, held: HeldJob, now: number): Promise<boolean> {
  return changeHeld({ job }, held, { holder: null, key: null, dueAt: null, diedAt: new Date(now) });
}

/** Removes a job that is done. @returns false when it was somebody else's */
export async function removeJob({ job }: Writer, { id, holder }: HeldJob): Promise<boolean> {
  return (await job.deleteMany({ where: { id, holder } })).count === 1;
}

async function changeHeld({ job }: Writer, { id, holder }: HeldJob, data: Partial<Omit<Job, 'payload'>>) {
  return (await job.updateMany({ where: { id, holder }, data })).count === 1;
}

/** What waits, over all processes. */
export interface Backlog {
  /** Jobs that are due and that nobody works on. */
  due: number;
  /** For how long the one that is due longest has been so, in milliseconds; 0 when none is due. */
  oldestMs: number;
  dead: number;
}

export async function readBacklog(read: Reader, now: number): Promise<Backlog> {
  const due = await read.job.aggregate({
    where: { dueAt: { lte: new Date(now) } },
    _count: true,
    _min: { dueAt: true },
  });
  const dead = await read.job.count({ where: { diedAt: { not: null } } });
  return { due: due._count, oldestMs: now - (due._min.dueAt?.getTime() ?? now), dead };
}

/** How long dead jobs are kept, in milliseconds. */
const DEAD_KEPT_MS = 30 * 86_400_000;

/** Removes jobs that have been dead for 30 days, as many as `limit` at most. @returns how many */
export async function removeDeadJobs({ job }: Writer, now: number, limit: number): Promise<number> {
  return (await job.deleteMany({ where: { diedAt: { lte: new Date(now - DEAD_KEPT_MS) } }, limit })).count;
}
