import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { ClockDescription, Seed, WorldDescription } from '../sandbox/protocol.js';
import { Control, type ControlAddress, segment } from './control.js';
import { World } from './world.js';
import { WorldClient } from './world-client.js';

/**
 * The time of the platform: interaction windows, rate limits, timeouts, reminders, invites and sessions. Connections and
 * their heartbeats stay on real time. Moves are refused while the instance has a second world.
 */
export class InstanceClock {
  /** @internal */
  constructor(private readonly control: Control) {}

  async now(): Promise<Date> {
    return dateOf(await this.control.request('GET', '/clock'));
  }

  /** Stops the time. */
  async freeze(): Promise<Date> {
    return dateOf(await this.control.request('POST', '/clock/freeze'));
  }

  /** Lets the time run again. */
  async resume(): Promise<Date> {
    return dateOf(await this.control.request('POST', '/clock/resume'));
  }

  /**
   * Moves the time, and resolves when everything that fell due has finished.
   * @param by such as `15m`, `30d`, or milliseconds
   */
  async advance(by: string | number): Promise<Date> {
    return dateOf(await this.control.request('POST', '/clock/advance', { by }));
  }

  /** Moves the time forward to a date. */
  async set(to: Date): Promise<Date> {
    return dateOf(await this.control.request('POST', '/clock/set', { to: to.toISOString() }));
  }
}

function dateOf({ now }: ClockDescription): Date {
  return new Date(now);
}

/** A running sandbox, in which a test makes worlds. */
export class Instance {
  readonly clock: InstanceClock;
  readonly #control: Control;

  /** @param stop ends the process, if this program started it */
  constructor(
    readonly address: ControlAddress,
    private readonly stopProcess: () => Promise<void> = async () => {},
  ) {
    this.#control = new Control(address);
    this.clock = new InstanceClock(this.#control);
  }

  /** For a bot in a process of its own that runs with `node --import @causeway-preview/causeway/testing/clock`. */
  get environment(): Record<string, string> {
    const { url, token } = this.address;
    return { CAUSEWAY_SANDBOX_URL: url, CAUSEWAY_SANDBOX_TOKEN: token };
  }

  /**
   * @param seed an object, or YAML
   * @throws SandboxError for an invalid seed
   */
  async createWorld(seed: Seed | string = {}): Promise<World> {
    const description = await this.#control.request<WorldDescription>('POST', '/worlds', seed);
    return new World(new WorldClient(this.#control, description));
  }

  /**
   * A world that exists, such as that of the bot which `causeway sandbox` runs.
   * @throws SandboxError UNKNOWN_WORLD
   */
  async world(id: string): Promise<World> {
    const description = await this.#control.request<WorldDescription>('GET', `/worlds/${segment(id)}`);
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
export async function startInstance(program: string): Promise<Instance> {
  const child = spawn(process.execPath, [program, 'sandbox', '--port', '0', '--for-kit'], {
    // The sandbox ends when the channel closes, so also if this program is killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => output.push(String(data)));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The sandbox ended with status ${code}: ${output.join('')}`);
  });
  ended.catch(() => {});
  const [address] = (await Promise.race([once(child, 'message'), ended])) as [ControlAddress];
  // The sandbox does not keep the test runner alive.
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
  return new Instance(address, async () => {
    // Without this, the program of the test would end here, before the sandbox does.
    child.ref();
    child.kill();
    await ended.catch(() => {});
  });
}
