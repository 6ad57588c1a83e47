import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import { keeping, showPart } from '../kept-answers.js';
import type { Backlog } from './rows.js';

/**
 * How an attempt ended. `lost`: another process had the job by then, or the result could not be stored. `stopped`: the
 * process stopped.
 */
export type Ending = 'done' | 'failed' | 'dead' | 'lost' | 'stopped';

const NOTHING: Backlog = { due: 0, oldestMs: 0, dead: 0 };

export function showJobs(
  registry: Registry,
  clock: Clock,
  read: () => Promise<Backlog>,
): (kind: string, ending: Ending) => void {
  showBacklog(registry, keeping(clock, NOTHING, read));
  const runs = new Counter({
    name: 'causeway_job_runs_total',
    help: 'Attempts to do a job by this process, by kind and ending (done, failed, dead, lost, stopped)',
    labelNames: ['kind', 'ending'],
    registers: [registry],
  });
  return (kind, ending) => runs.inc({ kind, ending });
}

function showBacklog(registry: Registry, look: () => Promise<Backlog>): void {
  const show = (name: string, help: string, value: (backlog: Backlog) => number) =>
    showPart(registry, look, { name, help, value });
  show('causeway_jobs_due', 'Jobs that are due and that nobody works on, over all processes', ({ due }) => due);
  show(
    'causeway_jobs_oldest_due_seconds',
    'For how long the oldest of them has been due',
    ({ oldestMs }) => oldestMs / 1_000,
  );
  show('causeway_jobs_dead', 'Jobs that were given up, over all processes', ({ dead }) => dead);
}
