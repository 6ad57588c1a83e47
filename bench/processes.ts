import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { atEnd, throwAwayFolder } from './scratch.js';

const root = resolve(import.meta.dirname, '..');

/** A measured server in a child process: the platform or a baseline. */
export interface MeasuredServer {
  /** Such as `http://127.0.0.1:40123`. */
  origin: string;
  /** Milliseconds from its start to its ready line. */
  readyMs: number;
  /** Seconds of processor time since it started. */
  cpuSeconds(): Promise<number>;
  /** Bytes, after a garbage collection. */
  memory(): Promise<NodeJS.MemoryUsage>;
  /** The current resident set, in bytes. */
  residentMemory(): Promise<number>;
  /** The largest resident set so far, in bytes. */
  peakMemory(): Promise<number>;
  /** Starts to measure its event loop. */
  watchLoop(): Promise<void>;
  /** The longest block of its event loop since then, in milliseconds. */
  longestBlockMs(): Promise<number>;
  stop(): Promise<void>;
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
}

/**
 * Starts the built platform as `npm start` does. `settings` override the default ones.
 * @param dataDir its data is copied; null if `settings` name the folder
 */
export async function startPlatform(dataDir: string | null, settings: NodeJS.ProcessEnv = {}): Promise<MeasuredServer> {
  const env = { ...USUAL, ...settings, ...(dataDir === null ? {} : { DATA_DIR: await copyOf(dataDir) }) };
  return startServer('dist/main.js', env);
}

/** Starts the built platform as a box. `settings` name its folder, its cloud and its token. */
export function startBox(settings: NodeJS.ProcessEnv): Promise<MeasuredServer> {
  return startServer('dist/main.js', { ...USUAL, ...settings }, ['box']);
}

const USUAL: NodeJS.ProcessEnv = {
  PORT: '0',
  PUBLIC_URL: undefined,
  DATABASE_URL: undefined,
  REDIS_URL: undefined,
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'info',
};

/** Starts the baseline of requests over a copy of the data in `dataDir`. */
export async function startBareRequests(dataDir: string): Promise<MeasuredServer> {
  return startServer('bench/baselines/requests.mjs', { DATA_DIR: await copyOf(dataDir) });
}

/** Starts the baseline of a start, in `dataDir` itself. */
export async function startBareServer(dataDir: string): Promise<MeasuredServer> {
  return startServer('bench/baselines/start.mjs', { DATA_DIR: dataDir });
}

export async function startEndpoint(): Promise<MeasuredServer> {
  return startServer('bench/baselines/endpoint.mjs');
}

/**
 * Starts the baseline of delivered interactions.
 * @param dataDir it stores rows in a copy of this data; null if it stores none
 */
export async function startBareInteractions(dataDir: string | null): Promise<MeasuredServer> {
  const env = dataDir === null ? {} : { DATA_DIR: await copyOf(dataDir) };
  return startServer('bench/baselines/interactions.mjs', env);
}

export async function startBareRoundTrips(): Promise<MeasuredServer> {
  return startServer('bench/baselines/round-trips.mjs');
}

export async function startBareSockets(): Promise<MeasuredServer> {
  return startServer('bench/baselines/sockets.mjs');
}

export async function startBarePage(): Promise<MeasuredServer> {
  return startServer('bench/baselines/page.mjs');
}

async function copyOf(dataDir: string): Promise<string> {
  const copy = await throwAwayFolder();
  await cp(dataDir, copy, { recursive: true });
  return copy;
}

/** `BENCH_NODE_FLAGS` adds flags for all measured servers, such as `--cpu-prof`. */
async function startServer(script: string, env: NodeJS.ProcessEnv = {}, args: string[] = []): Promise<MeasuredServer> {
  const wished = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);
  const flags = ['--expose-gc', '--import', join(root, 'bench/probe.mjs'), ...wished];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...flags, join(root, script), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  atEnd(() => stop(child));
  const origin = await readyLine(child, script);
  const readyMs = performance.now() - startedAt;
  return {
    origin,
    readyMs,
    async cpuSeconds() {
      const { user, system } = await ask<NodeJS.CpuUsage>(child, 'cpu');
      return (user + system) / 1_000_000;
    },
    memory: () => ask<NodeJS.MemoryUsage>(child, 'memory'),
    residentMemory: () => ask<number>(child, 'residentMemory'),
    peakMemory: () => ask<number>(child, 'peakMemory'),
    watchLoop: () => ask<void>(child, 'watchLoop'),
    longestBlockMs: () => ask<number>(child, 'longestBlockMs'),
    stop: () => stop(child),
    kill: () => kill(child),
  };
}

/** Both kinds of server print a line of JSON with their `origin` once they listen. */
function readyLine(child: ChildProcess, script: string): Promise<string> {
  return new Promise((ready, failed) => {
    child.once('exit', (code) => failed(new Error(`${script} ended with ${code} before it was ready`)));
    if (!child.stdout) return failed(new Error(`${script} has no output`));
    createInterface(child.stdout).on('line', (line) => {
      const origin = /"origin":"([^"]+)"/.exec(line)?.[1];
      if (origin) ready(origin.replace('localhost', '127.0.0.1'));
      else if (/"level":[56]0/.test(line)) console.error(line.slice(0, 300));
    });
  });
}

/** Sends `question` to a child and waits for its next message. */
export async function ask<Answer>(child: ChildProcess, question: object | string): Promise<Answer> {
  const gone = new AbortController();
  const onExit = () => gone.abort();
  child.once('exit', onExit);
  try {
    const answer = once(child, 'message', { signal: gone.signal });
    child.send(question);
    const [message] = await answer;
    return message as Answer;
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    throw new Error(`a benchmark process ended early with ${child.exitCode ?? child.signalCode}`);
  } finally {
    child.off('exit', onExit);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Sends a signal to a child, and kills it after ten seconds. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const impatience = setTimeout(() => child.kill('SIGKILL'), 10_000);
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
  clearTimeout(impatience);
}
