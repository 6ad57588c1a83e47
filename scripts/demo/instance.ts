// The platform within this process, with data of its own that is removed at the end, and stock bots as processes beside it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfig } from '../../src/config.js';
import type { Server } from '../../src/server.js';
import { tryAddress } from '../../src/start.js';

export class DemoInstance {
  /** Where people and programs find it. */
  origin = '';
  /** Its address for this process: the very listener it opened, whatever a name may lead to. */
  api = '';
  #dataDir = '';
  #platform: Server | undefined;
  readonly #bots: ChildProcess[] = [];

  /**
   * Starts the platform, so that what answers is never another instance. Of the environment only the port and the log level count.
   * @param starting is called once the port is known to be free
   * @throws {StartError} where it is not
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
   * Starts a bot of `examples`, and resolves when it says that it is online.
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

  /** Stops everything and removes the data. */
  async stop(): Promise<void> {
    await Promise.all(this.#bots.map(stopBot));
    await this.#platform?.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  /** Leaves no bot behind where there is no time to stop. */
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
