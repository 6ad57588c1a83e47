import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { RequestSpec } from '../load.js';
import { ask, stop } from '../processes.js';
import { atEnd } from '../scratch.js';

interface Arrival {
  /** The gateway's URL, including its query. */
  url: string;
  identifies: string[];
}

export type Task =
  | ({ task: 'identify' } & Arrival)
  | ({ task: 'identifyStaggered'; event: RequestSpec } & Arrival)
  | ({ task: 'storm' } & Arrival)
  | { task: 'beat'; count: number }
  | { task: 'steady'; event: RequestSpec; count: number; perSecond: number }
  | { task: 'fanOut'; event: RequestSpec; count: number }
  | ({ task: 'capture'; event: RequestSpec } & Arrival)
  | { task: 'close' };

export interface TaskAnswer {
  seconds: number;
  /** For a fan-out: the time between the first and the last receipt of an event. */
  spreadingSeconds?: number;
  messages?: string[];
  /** Of heartbeats. */
  roundTripMs?: { p50: number; p99: number };
}

/** Many light gateway clients in a child process. */
export interface GatewayClients {
  run(task: Task): Promise<TaskAnswer>;
  stop(): Promise<void>;
}

export function startGatewayClients(): GatewayClients {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'child.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  atEnd(() => stop(child));
  return { run: (task) => ask<TaskAnswer>(child, task), stop: () => stop(child) };
}
