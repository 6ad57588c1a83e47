import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { redisPrefixOf } from './redis.js';

export interface RunningInstance {
  origin: string;
  process: ChildProcess;
  written(): string;
  /** Sends a signal. Resolves to the exit code of the process or to the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

const entryPoint = join(import.meta.dirname, '../../dist/main.js');

/**
 * Starts the built platform as a child process, or a box on request, on a free port. Resolves when it logs that it is
 * ready.
 * @param program another build's `main.js`, or `cli.js`
 * @param socketFd a listening socket, as systemd passes one on
 */
export async function startInstance(
  env: Record<string, string>,
  command?: 'box' | 'start',
  program: string = entryPoint,
  socketFd?: number,
): Promise<RunningInstance> {
  const args = command ? [program, command] : [program];
  const [file, fileArgs] = socketFd === undefined ? [process.execPath, args] : ['/bin/sh', withSocket(args)];
  const child = spawn(file, fileArgs, {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      RATE_LIMITS: 'off',
      REGISTRATION: 'open',
      SHARED_DATA_DIR: 'on',
      REDIS_PREFIX: redisPrefixOf(env),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(socketFd === undefined ? [] : [socketFd])],
  });
  const written: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => written.push(chunk));
  child.stderr?.pipe(process.stderr, { end: false });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const origin = await Promise.race([
    originOf(child),
    exited.then(([code]) => Promise.reject(new Error(`the process ended with ${code} before it was ready`))),
  ]);
  return {
    origin,
    process: child,
    written: () => Buffer.concat(written).toString(),
    async end(signal) {
      child.kill(signal);
      const [code, endedBy] = await exited;
      return endedBy ?? code;
    },
  };
}

/** Binds a socket without listening, because a listening process would accept connections itself. */
export function bindSocket(): { fd: number; close(): void } {
  const { _createServerHandle: bind } = net as unknown as {
    _createServerHandle(address: string, port: number, family: 4): { fd: number; close(): void };
  };
  return bind('127.0.0.1', 0, 4);
}

/** The shell has the same process id as the program, which replaces it. */
function withSocket(args: string[]): string[] {
  return ['-c', 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"', process.execPath, ...args];
}

async function originOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the process has no output');
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve) => {
    lines.on('line', (line) => {
      const { msg = '', origin } = JSON.parse(line) as { msg?: string; origin?: string };
      if (msg.startsWith('ready') && origin) resolve(origin);
    });
  });
}
