import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface RunningProgram {
  ready: string;
  /**
   * Resolves to the value of `awaited` unless the program ends before.
   * @throws Error with its error output
   */
  unlessItEnds<Value>(awaited: Promise<Value>): Promise<Value>;
  /** Resolves when it has printed this line, once for each time. */
  says(line: string): Promise<void>;
  /** The rest of the first line with this beginning that was not returned yet. */
  tells(beginning: string): Promise<string>;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  program: string;
  /** From the folder of this file. */
  script: string;
  env: Record<string, string>;
  /** A part of the line that reports that the program is ready. */
  ready?: string;
}

export async function startProgram({
  program,
  script,
  env,
  ready = 'online',
}: ProgramOptions): Promise<RunningProgram> {
  const child = spawn(program, [join(import.meta.dirname, script)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const failure = failureOf(child);
  const lines: string[] = [];
  const heard = new EventEmitter();
  createInterface(child.stdout).on('line', (text) => {
    lines.push(text);
    heard.emit('line');
  });
  const take = async (isWanted: (line: string) => boolean): Promise<string> => {
    for (;;) {
      const found = lines.findIndex(isWanted);
      if (found >= 0) return lines.splice(found, 1).join();
      await once(heard, 'line');
    }
  };
  const unlessItEnds = <Value>(awaited: Promise<Value>) => Promise.race([awaited, failure]);
  return {
    ready: await unlessItEnds(take((line) => line.includes(ready))),
    unlessItEnds,
    async says(wanted) {
      await unlessItEnds(take((line) => line === wanted));
    },
    async tells(beginning) {
      const line = await unlessItEnds(take((one) => one.startsWith(beginning)));
      return line.slice(beginning.length);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function failureOf(child: ChildProcess): Promise<never> {
  let complaints = '';
  child.stderr?.on('data', (text) => {
    complaints += text;
  });
  const failure = new Promise<never>((_resolve, reject) => {
    child.once('close', (code) => reject(new Error(`the program ended with ${code}: ${complaints}`)));
  });
  failure.catch(() => {});
  return failure;
}
