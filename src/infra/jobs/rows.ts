import type { Job, PrismaClient, Reader, Transaction } from '../database/index.js';

/** What every write of a job goes through; outside a transaction each is one statement. */
type Writer = Pick<PrismaClient, 'job'>;

/** A job as long as somebody works on it. Whatever they write is written only while `holder` still names them. */
export type HeldJob = Job & { holder: string };

/** What the log calls it. */
export function nameOf({ id, kind }: HeldJob): { job: string; kind: string } {
  return { job: String(id), kind };
}

/** Whether it is the one of its kind that comes again: the kind's name is its key. */
export function isRecurring({ kind, key }: Job): boolean {
  return key === kind;
}

/** How long a job belongs to who took it, in milliseconds, unless they prolong it. */
export const LEASE_MS = 60_000;

/** A job that is to be added. */
type AddedJob = Pick<Job, 'id' | 'kind'> & { payload: object; dueAt: Date };

/**
 * Adds a job, unless one with its key waits; one that is worked on is done once more, since it may have looked before there was what the
 * new one is about.
 * @param db may be a transaction: the job is there when that is committed
 */
export async function insertJob(db: Transaction, job: AddedJob & { key: string | null }): Promise<void> {
  if (job.key === null) await db.job.create({ data: job });
  // One statement on both databases (ON CONFLICT DO UPDATE). Who takes a job that waits forgets the mark.
  else await db.job.upsert({ where: { key: job.key }, create: job, update: { againAt: job.dueAt } });
}

/** Adds the one job of a recurring kind, unless it is there. */
export async function insertRecurring(db: Transaction, job: AddedJob): Promise<void> {
  const key = job.kind;
  await db.job.upsert({ where: { key }, create: { ...job, key }, update: { key } });
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
    data: { holder, dueAt: new Date(now + LEASE_MS), attempts: { increment: 1 }, againAt: null },
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

/**
 * Keeps a job that nobody is to try again, for people to see. Its key is free. One that was added again begins anew instead.
 * @returns false when it was somebody else's
 */
export function markDead({ job }: Writer, { id, holder }: HeldJob, now: number): Promise<boolean> {
  const data = { holder: null, key: null, dueAt: null, diedAt: new Date(now) };
  return endOrBeginAnew({ job }, { id, holder }, (where) => job.updateMany({ where, data }));
}

/** Removes a job that is done. One that was added again begins anew instead. @returns false when it was somebody else's */
export function removeJob({ job }: Writer, { id, holder }: HeldJob): Promise<boolean> {
  return endOrBeginAnew({ job }, { id, holder }, (where) => job.deleteMany({ where }));
}

type Held = Pick<HeldJob, 'id' | 'holder'>;

/** Each statement states what it takes for granted, so that no addition is lost between two of them. */
async function endOrBeginAnew(
  { job }: Writer,
  held: Held,
  end: (where: Held & { againAt: null }) => Promise<{ count: number }>,
): Promise<boolean> {
  for (;;) {
    if ((await end({ ...held, againAt: null })).count === 1) return true;
    const found = await job.findFirst({ where: held, select: { againAt: true } });
    if (!found) return false;
    const { againAt } = found;
    const anew = { holder: null, dueAt: againAt, attempts: 0, againAt: null };
    if (againAt && (await job.updateMany({ where: { ...held, againAt }, data: anew })).count === 1) return true;
  }
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
