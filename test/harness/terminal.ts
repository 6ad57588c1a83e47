import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';

const END = '\u001e';

/**
 * A shell for pasted lines, in a process group of its own. It ends with the first line that fails or uses an unset
 * variable.
 */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #heard = new EventEmitter();
  #output = '';

  constructor(cwd: string, env: Record<string, string | undefined>) {
    this.#shell = spawn('sh', ['-eu'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    this.#closed = once(this.#shell, 'close');
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.on('data', (text) => {
        this.#output += text;
        this.#heard.emit('text');
      });
    }
    this.#shell.stdin?.on('error', () => {});
  }

  /**
   * Pastes lines and returns their output.
   * @throws Error if they end the shell
   */
  async paste(lines: string): Promise<string> {
    this.#output = '';
    this.#shell.stdin?.write(`${lines}\nprintf '${END}'\n`);
    const printed = await this.#printed((output) => output.includes(END));
    return printed.replace(END, '');
  }

  /** Pastes lines of which the last one keeps running. Returns their output once it matches `until`. */
  hold(lines: string, until: RegExp): Promise<string> {
    this.#shell.stdin?.write(`${lines}\n`);
    return this.#printed((output) => until.test(output));
  }

  async #printed(isEnough: (output: string) => boolean): Promise<string> {
    while (!isEnough(this.#output)) {
      const heard = once(this.#heard, 'text');
      const isOver = await Promise.race([heard.then(() => false), this.#closed.then(() => true)]);
      if (isOver && !isEnough(this.#output)) throw new Error(`the shell ended, having printed:\n${this.#output}`);
    }
    return this.#output;
  }

  /** Ends the shell and its child processes. */
  async close(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#shell;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    process.kill(-pid, 'SIGKILL');
    await this.#closed;
  }
}
