import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Seed, WorldDescription } from '../sandbox/protocol.js';
import { Control, type ControlAddress } from './control.js';
import { World } from './world.js';
import { WorldClient } from './world-client.js';

/** How long an instance may take to start, in milliseconds. */
const START_WITHIN_MS = 30_000;

/** A running sandbox, in which a test makes worlds. */
export class Instance {
  readonly #control: Control;

  /** @param stop ends the process, if this program started it */
  constructor(
    readonly address: ControlAddress,
    private readonly stopProcess: () => Promise<void> = async () => {},
  ) {
    this.#control = new Control(address);
  }

  /**
   * @param seed an object, or YAML
   * @throws SandboxError for an invalid seed
   */
  async createWorld(seed: Seed | string = {}): Promise<World> {
    const description = await this.#control.request<WorldDescription>('POST', '/worlds', seed);
    return new World(new WorldClient(this.#control, description));
  }

  /** Ends the process, if this program started it. It also ends with this program. */
  stop(): Promise<void> {
    return this.stopProcess();
  }
}

/** The sandbox that `causeway sandbox -- …` runs around this program; null without one. */
export function surroundingInstance(env: NodeJS.ProcessEnv = process.env): Instance | null {
  const { CAUSEWAY_SANDBOX_URL: url, CAUSEWAY_SANDBOX_TOKEN: token } = env;
  return url && token ? new Instance({ url, token }) : null;
}

/**
 * Starts a sandbox of its own.
 * @param program the command line of Causeway
 * @throws Error with its output, if it does not start
 */
export async function startInstance(program: string, options: readonly string[] = []): Promise<Instance> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-ready-'));
  const readyFile = join(folder, 'ready.json');
  const child = spawn(process.execPath, [program, 'sandbox', '--port', '0', '--ready-file', readyFile, ...options], {
    // The sandbox ends when this channel closes, so also if this program is killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => output.push(String(data)));
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The sandbox ended with status ${code}: ${output.join('')}`)));
  });
  ended.catch(() => {});
  try {
    const address = await Promise.race([readyAt(folder, readyFile), ended]);
    // Does not keep the test runner alive.
    child.unref();
    child.channel?.unref();
    for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref();
    return new Instance(address, async () => {
      child.kill();
      await ended.catch(() => {});
    });
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The file appears complete. */
async function readyAt(folder: string, file: string): Promise<ControlAddress> {
  const appeared = new Promise<void>((resolve, reject) => {
    const watcher = watch(folder, () => done());
    const timer = setTimeout(() => {
      watcher.close();
      reject(new Error(`The sandbox was not ready within ${START_WITHIN_MS / 1_000} s.`));
    }, START_WITHIN_MS);
    const done = () => {
      clearTimeout(timer);
      watcher.close();
      resolve();
    };
  });
  await appeared;
  const { control } = JSON.parse(await readFile(file, 'utf8')) as { control: ControlAddress };
  return control;
}
