import { Counter, type Registry } from 'prom-client';
import { memoizeWithTtl, showPart } from '../caching/memoize-with-ttl.js';
import type { Clock } from '../clock.js';
import type { Backlog } from './rows.js';

/** `lost`: another process had the job by then, or the result could not be stored. */
export type Ending = 'done' | 'failed' | 'dead' | 'lost' | 'stopped';

const NOTHING: Backlog = { due: 0, oldestMs: 0, dead: 0 };

export function showJobs(
  registry: Registry,
  clock: Clock,
  read: () => Promise<Backlog>,
): (kind: string, ending: Ending) => void {
  showBacklog(registry, memoizeWithTtl(clock, NOTHING, read));
  const runs = new Counter({
    name: 'causeway_job_runs_total',
    help: 'Attempts to run a job in this process, by kind and ending (done, failed, dead, lost, stopped)',
    labelNames: ['kind', 'ending'],
    registers: [registry],
  });
  return (kind, ending) => runs.inc({ kind, ending });
}

function showBacklog(registry: Registry, look: () => Promise<Backlog>): void {
  const show = (name: string, help: string, value: (backlog: Backlog) => number) =>
    showPart(registry, look, { name, help, value });
  show('causeway_jobs_due', 'Due jobs that no process works on, over all processes', ({ due }) => due);
  show('causeway_jobs_oldest_due_seconds', 'Age of the oldest due job', ({ oldestMs }) => oldestMs / 1_000);
  show('causeway_jobs_dead', 'Jobs that failed for good, over all processes', ({ dead }) => dead);
}
