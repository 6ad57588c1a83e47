import type { DrillClient } from './client.js';
import type { Load } from './load.js';

export interface Drilled {
  clients: readonly DrillClient[];
  load: Load;
  /** When the last process that started was ready, from `performance.now()`. */
  readyAt: number;
  isOneProcess: boolean;
  disturbance: 'restart' | 'drop' | 'kill';
}

/** Prints the outcome. @returns whether the bots lost nothing that they need not lose */
export function report({ clients, load, readyAt, isOneProcess, disturbance }: Drilled): boolean {
  const outages = clients.flatMap((client) => client.outages);
  const resumed = outages.filter(({ end }) => end === 'resumed').length;
  const away = clients.filter(({ isBack }) => !isBack).length;
  const counts = clients.flatMap(({ seen }) => load.sentIds.map((id) => seen.get(id) ?? 0));
  const missed = counts.filter((count) => count === 0).length;
  const repeated = counts.filter((count) => count > 1).length;
  const wasOff = isOneProcess && disturbance !== 'drop';
  const times = outages.map((outage) => (wasOff ? outage.endedAt - readyAt : outage.ms)).sort((a, b) => a - b);
  const lines = [
    ['resumed', `${resumed} of ${outages.length} interrupted sessions; ${outages.length - resumed} identified again`],
    ['missed', `${missed} of ${counts.length} events; ${repeated} arrived twice`],
    [
      'failed',
      `${load.failures.length} of ${load.requests} requests${wasOff ? ', while no process ran' : ''}${kindsOf(load)}`,
    ],
    [
      'back',
      `${times.length === 0 ? 'no interruption' : timesOf(times)}${wasOff ? ' after the process was ready' : ''}`,
    ],
    [
      'still away',
      `${away} of ${clients.length} bots; ${clients.flatMap(({ refusals }) => refusals).length} refused for good`,
    ],
  ];
  const hasLost = missed > 0 || resumed < outages.length || (!wasOff && load.failures.length > 0);
  const passed = away === 0 && (disturbance === 'kill' || !hasLost);
  const pardon = disturbance === 'kill' ? ' (a killed process loses its sessions and requests)' : '';
  lines.push(['result', passed ? `passed${pardon}` : 'not passed']);
  for (const [name = '', text = ''] of lines) console.log(`${name.padEnd(12)}${text}`);
  return passed;
}

function kindsOf({ failures }: Load): string {
  const kinds = [...new Set(failures)].map((kind) => `${failures.filter((one) => one === kind).length} × ${kind}`);
  return kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
}

function timesOf(times: readonly number[]): string {
  const at = (share: number) => seconds(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  return `after ${at(0.5)} (median), ${at(0.99)} (99 %), ${at(1)} (all)`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
