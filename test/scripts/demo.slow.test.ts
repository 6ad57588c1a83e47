import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needing, noSqlite } from '../harness/skipping.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-demo-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function leftFolders(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('causeway-demo-'));
}

/** `npm run demo` in its own process group, as in a terminal. */
class Demo {
  output = '';
  complaint = '';
  readonly ended: Promise<unknown[]>;
  readonly #npm: ChildProcess;

  constructor(port: number) {
    this.#npm = spawn('npm', ['run', 'demo', '--silent'], {
      cwd: resolve(import.meta.dirname, '../..'),
      env: { PATH: process.env.PATH, TMPDIR: folder, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#npm.stdout?.on('data', (text) => {
      this.output += text;
    });
    this.#npm.stderr?.on('data', (text) => {
      this.complaint += text;
    });
    this.ended = once(this.#npm, 'close');
  }

  async shows(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      const over = await Promise.race([once(this.#npm.stdout!, 'data').then(() => false), this.ended.then(() => true)]);
      if (over) throw new Error(`the demo ended with ${this.#npm.exitCode}: ${this.complaint}`);
    }
  }

  /** Ctrl+C in a terminal signals every process of the group. npm passes the signal on once more. */
  interrupt(): void {
    process.kill(-this.#npm.pid!, 'SIGINT');
  }

  /** A service manager signals npm alone. */
  terminate(): void {
    this.#npm.kill('SIGTERM');
  }

  isLeft(): boolean {
    try {
      return process.kill(-this.#npm.pid!, 0);
    } catch {
      return false;
    }
  }
}

it('on an occupied port it exits with one clear line and sends no request to the other server', async () => {
  const requests: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    requests.push(request.url);
    response.end('{"status":"ok","token":"x"}');
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const demo = new Demo(port);
  expect(await demo.ended).toEqual([1, null]);
  expect(demo.complaint).toBe(
    `The demo could not start: port ${port} is already in use; stop the program that uses it, or set PORT to another port (0 picks a free one)\n`,
  );
  expect(demo.output).toBe('');
  expect(requests).toEqual([]);
  expect(await leftFolders()).toEqual([]);
  other.close();
});

describe.skipIf(noSqlite)(needing(noSqlite, 'a demo'), () => {
  it('shows a conversation, is not affected by a second demo, and leaves nothing behind on Ctrl+C', async () => {
    const demo = new Demo(0);
    await demo.shows('Ctrl+C stops everything');
    expect(demo.output).toContain('  grace: hello, bot\n  Hello Bot: Hello, grace!\n');
    const port = Number(/http:\/\/localhost:(\d+)\/graphql/.exec(demo.output)?.[1]);
    const another = new Demo(port);
    expect(await another.ended).toEqual([1, null]);
    expect(another.complaint).toContain(`port ${port} is already in use`);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);

    demo.interrupt();
    await demo.ended;
    expect(demo.isLeft()).toBe(false);
    expect(await leftFolders()).toEqual([]);
  }, 120_000);

  it('leaves nothing behind if npm alone is terminated', async () => {
    const demo = new Demo(0);
    await demo.shows('Ctrl+C stops everything');
    demo.terminate();
    await demo.ended;
    // The system needs a moment to reap the orphaned compiler process.
    await expect.poll(() => demo.isLeft(), { timeout: 20_000 }).toBe(false);
    expect(await leftFolders()).toEqual([]);
  }, 120_000);

  it('leaves nothing behind if it is interrupted while it starts', async () => {
    const demo = new Demo(0);
    await demo.shows('Starting the bot');
    demo.interrupt();
    await demo.ended;
    expect(demo.isLeft()).toBe(false);
    expect(demo.complaint).toBe('');
    expect(await leftFolders()).toEqual([]);
  }, 120_000);
});
