import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Runs a command in a terminal. */
export const SCRIPT = '/usr/bin/script';
export const noTerminal = existsSync(SCRIPT) ? null : `${SCRIPT} is missing; install bsdutils`;

export const CLI = join(import.meta.dirname, '../../dist/cli.js');

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built `causeway` to its end. */
export function runCli(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  return resultOf(spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH, ...env } }));
}

/** Resolves when the process has ended. */
export async function resultOf(child: ChildProcess): Promise<Result> {
  if (!child.stdout || !child.stderr) throw new Error('the process has no output');
  child.stdin?.end();
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
