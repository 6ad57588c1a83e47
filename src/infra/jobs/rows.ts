import type { Job, PrismaClient, Reader, Transaction } from '../database/index.js';

type Writer = Pick<PrismaClient, 'job'>;

/** A leased job. A write succeeds only while `holder` is unchanged. */
export type HeldJob = Job & { holder: string };

export function nameOf({ id, kind }: HeldJob): { job: string; kind: string } {
  return { job: String(id), kind };
}

export function isRecurring({ kind, key }: Job): boolean {
  return key === kind;
}

export const LEASE_MS = 60_000;

type AddedJob = Pick<Job, 'id' | 'kind'> & { payload: object; dueAt: Date };

/** A queued job with this key is kept. A running one runs again, because it may have read older data. */
export async function insertJob(db: Transaction, job: AddedJob & { key: string | null }): Promise<void> {
  if (job.key === null) await db.job.create({ data: job });
  // One statement on both databases (ON CONFLICT DO UPDATE). `takeJob` clears `againAt`.
  else await db.job.upsert({ where: { key: job.key }, create: job, update: { againAt: job.dueAt } });
}

export async function insertRecurring(db: Transaction, job: AddedJob): Promise<void> {
  const key = job.kind;
  await db.job.upsert({ where: { key }, create: { ...job, key }, update: { key } });
}

export function nextJobs(read: Reader, kinds: string[], count: number): Promise<Pick<Job, 'id' | 'kind' | 'dueAt'>[]> {
  return read.job.findMany({
    where: { kind: { in: kinds }, dueAt: { not: null } },
    orderBy: { dueAt: 'asc' },
    take: count,
    select: { id: true, kind: true, dueAt: true },
  });
}

/**
 * Of concurrent callers, one succeeds. Each process uses its own clock, and one that is ahead starts jobs early. If the
 * difference exceeds a lease, it also takes running jobs, which then run twice.
 */
export async function takeJob({ job }: Writer, id: bigint, holder: string, now: number): Promise<HeldJob | null> {
  const [taken] = await job.updateManyAndReturn({
    where: { id, dueAt: { lte: new Date(now) } },
    data: { holder, dueAt: new Date(now + LEASE_MS), attempts: { increment: 1 }, againAt: null },
  });
  return taken ? { ...taken, holder } : null;
}

/** @returns false if another process has the job, or it is gone */
export function renewJob({ job }: Writer, held: HeldJob, now: number): Promise<boolean> {
  return changeHeld({ job }, held, { dueAt: new Date(now + LEASE_MS) });
}

/**
 * Makes a job available from `dueAt` on.
 * @returns false if another process has it
 */
export function releaseJob({ job }: Writer, held: HeldJob, dueAt: number, attempts: number): Promise<boolean> {
  return changeHeld({ job }, held, { holder: null, dueAt: new Date(dueAt), attempts });
}

/**
 * Keeps a failed job for inspection, without its key. A job that was added again starts over instead.
 * @returns false if another process has it
 */
export function markDead({ job }: Writer, { id, holder }: HeldJob, now: number): Promise<boolean> {
  const data = { holder: null, key: null, dueAt: null, diedAt: new Date(now) };
  return endOrBeginAnew({ job }, { id, holder }, (where) => job.updateMany({ where, data }));
}

/**
 * Removes a finished job. A job that was added again starts over instead.
 * @returns false if another process has it
 */
export function removeJob({ job }: Writer, { id, holder }: HeldJob): Promise<boolean> {
  return endOrBeginAnew({ job }, { id, holder }, (where) => job.deleteMany({ where }));
}

type Held = Pick<HeldJob, 'id' | 'holder'>;

/** Each statement repeats its precondition, so that a concurrent addition is not lost. */
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

/** Counts over all processes. */
export interface Backlog {
  /** Due jobs that no process works on. */
  due: number;
  /** Milliseconds since the oldest due job became due; 0 if none is due. */
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

const DEAD_KEPT_MS = 30 * 86_400_000;

/** @returns the number of removed jobs */
export async function removeDeadJobs({ job }: Writer, now: number, limit: number): Promise<number> {
  return (await job.deleteMany({ where: { diedAt: { lte: new Date(now - DEAD_KEPT_MS) } }, limit })).count;
}
