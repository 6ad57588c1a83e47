import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type MeasuredServer, startPlatform } from '../processes.js';
import type { Row } from '../report.js';
import { spread } from '../rounds.js';
import { createCrowd } from '../silence/crowd.js';
import { type Load, loads } from '../silence/loads.js';

/** Idle time for the baseline, in milliseconds. */
const IDLE_MS = 2_000;
/** Time limit of one load, in milliseconds. */
const DEADLINE_MS = 60_000;

/**
 * The longest delay of `/healthz`, requested every 25 ms, during cheap requests for expensive results. It shows whether
 * one caller can block all others. Rate limits are on. The baseline has no other requests.
 */
export async function silences(): Promise<Row[]> {
  const crowd = await createCrowd();
  const rows: Row[] = [];
  for (const load of loads) {
    const server = await startPlatform(crowd.dataDir, { RATE_LIMITS: 'on' });
    const idle = await longestSilence(server, () => setTimeout(IDLE_MS));
    const before = await server.peakMemory();
    const busy = await longestSilence(server, () =>
      Promise.race([load.run(server.origin, crowd).catch(() => {}), setTimeout(DEADLINE_MS, null, { ref: false })]),
    );
    const peak = busy.isGone ? 'the process ended' : `peak memory +${await grownBy(server, before)} MiB`;
    console.log(`${load.name}: ${Math.round(busy.longest)} ms, ${peak}`);
    rows.push(rowOf(load, busy.longest, idle.longest));
    await server.stop();
  }
  return rows;
}

function rowOf({ name }: Load, subject: number, baseline: number): Row {
  return {
    name: `silence: ${name}`,
    unit: 'ms',
    subject,
    baseline,
    ratio: spread([subject / baseline]),
    aim: '< 250 ms',
  };
}

async function grownBy(server: MeasuredServer, before: number): Promise<number> {
  return Math.round(((await server.peakMemory()) - before) / 1024 / 1024);
}

interface Silence {
  /** Milliseconds. */
  longest: number;
  /** The server stopped answering and did not recover. */
  isGone: boolean;
}

async function longestSilence(server: MeasuredServer, during: () => Promise<unknown>): Promise<Silence> {
  const watcher = new Worker(new URL('../silence/watcher.mjs', import.meta.url), {
    workerData: { url: `${server.origin}/healthz` },
  });
  const told = once(watcher, 'message');
  await Promise.race([during(), told]);
  watcher.postMessage('stop');
  const [silence] = (await told) as [Silence];
  return silence;
}
