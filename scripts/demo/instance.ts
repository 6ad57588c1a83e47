// The platform in this process, with temporary data, and stock bots in child processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfig } from '../../src/config.js';
import type { Server } from '../../src/server.js';
import { tryAddress } from '../../src/start.js';

export class DemoInstance {
  origin = '';
  /** Its URL for this process, with the address of its listener. It does not depend on name resolution. */
  api = '';
  #dataDir = '';
  #platform: Server | undefined;
  readonly #bots: ChildProcess[] = [];

  /**
   * Starts the platform. It checks the port first, so that no other instance answers in its place. From the environment
   * it uses only the port and the log level.
   * @param starting is called once the port is known to be free
   * @throws {StartError} if it is not
   */
  async start({ PORT, LOG_LEVEL }: NodeJS.ProcessEnv, starting: () => void): Promise<void> {
    this.#dataDir = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
    const config = readConfig({ PORT, DATA_DIR: this.#dataDir, LOG_LEVEL: LOG_LEVEL || 'warn' });
    await tryAddress(config);
    starting();
    const { createServer } = await import('../../src/server.js');
    this.#platform = await createServer(config);
    this.origin = await this.#platform.start();
    this.api = `http://${config.host}:${new URL(this.origin).port}`;
  }

  /**
   * Starts a bot of `examples`. Resolves when it prints that it is online.
   * @param ended is called when it ends
   */
  async startBot(example: string, token: string, ended: (code: number) => void): Promise<void> {
    const script = resolve(import.meta.dirname, '../../examples', example, 'index.js');
    const env = { ...process.env, API_URL: `${this.api}/api`, BOT_TOKEN: token };
    const bot = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#bots.push(bot);
    bot.once('exit', (code) => ended(code ?? 0));
    await once(bot.stdout, 'data');
  }

  async stop(): Promise<void> {
    await Promise.all(this.#bots.map(stopBot));
    await this.#platform?.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  /** Kills the bots if there is no time to stop them. */
  killBots(): void {
    for (const bot of this.#bots) bot.kill('SIGKILL');
  }
}

async function stopBot(bot: ChildProcess): Promise<void> {
  if (bot.exitCode !== null || bot.signalCode !== null) return;
  const exit = once(bot, 'exit');
  bot.kill();
  await exit;
}
