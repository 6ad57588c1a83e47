import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunningSandbox } from '../../src/sandbox/start.js';
import { Instance, type World } from '../../src/testing/index.js';
import { resultOf } from '../harness/cli.js';
import { startTestSandbox } from '../harness/sandbox.js';

const ROOT = join(import.meta.dirname, '../..');
const PRELOAD = pathToFileURL(join(ROOT, 'dist/testing/esm/clock.js')).href;
const BOT = join(import.meta.dirname, 'bots/reminder/index.js');

const HOUR = 3_600_000;

let running: RunningSandbox;
let instance: Instance;
let world: World;
let children: ChildProcess[];

beforeAll(async () => {
  running = await startTestSandbox();
  instance = new Instance(running);
  world = await instance.createWorld({ guilds: [{ name: 'Kitchen', channels: ['kitchen'] }] });
  children = [];
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});
afterAll(() => running.stop());

interface Program {
  child: ChildProcess;
  /** The next line that it prints. */
  line(): Promise<string>;
}

function start(args: string[], env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, ['--import', PRELOAD, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...instance.environment, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface(child.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value };
}

const script = (code: string) => start(['--input-type=module', '-e', `${code}\nconsole.log('ready');`]);

describe('a program with the preload', () => {
  it('has the dates of the sandbox, and its timers run in order when the clock moves', async () => {
    const program = script(`
      import { setTimeout as pause } from 'node:timers/promises';
      import { promisify } from 'node:util';
      const begun = Date.now();
      const note = (text) => console.log(text, Math.round((Date.now() - begun) / ${HOUR}), Date.now() === new Date().getTime());
      setTimeout(note, 3 * ${HOUR}, 'three');
      const every = setInterval(() => note('every'), 2 * ${HOUR});
      pause(${HOUR}).then(() => pause(${HOUR} / 2)).then(() => note('pause'));
      promisify(setTimeout)(5 * ${HOUR}).then(() => { note('promisify'); clearInterval(every); });
      clearTimeout(setTimeout(note, ${HOUR}, 'never'));
      setTimeout(() => console.log('later'), 30 * 86_400_000);
    `);
    expect(await program.line()).toBe('ready');
    await instance.clock.advance('24h');
    const lines: string[] = [];
    for (let count = 0; count < 5; count += 1) lines.push(await program.line());
    expect(lines).toEqual(['pause 2 true', 'every 2 true', 'three 3 true', 'every 4 true', 'promisify 5 true']);
    await instance.clock.advance('30d');
    expect(await program.line()).toBe('later');
  });

  it('stands still while the clock is frozen, and goes on in real time', async () => {
    await instance.clock.freeze();
    const program = script(`
      const begun = Date.now();
      setTimeout(() => console.log(Date.now() - begun), 40);
      setInterval(() => {}, 1_000).unref();
    `);
    expect(await program.line()).toBe('ready');
    await instance.clock.advance(39);
    await instance.clock.resume();
    expect(Number(await program.line())).toBeGreaterThanOrEqual(40);
  });

  it('ends when nothing of its own keeps it alive, and does not start without a sandbox', async () => {
    const program = script('');
    expect(await program.line()).toBe('ready');
    await new Promise((resolve) => program.child.once('close', resolve));
    expect(program.child.exitCode).toBe(0);
    const alone = spawn(process.execPath, ['--import', PRELOAD, '-e', '0'], { env: { PATH: process.env.PATH } });
    expect((await resultOf(alone)).stderr).toContain('testing/clock follows the clock of a sandbox: set');
  });

  it('that is a bot sends its reminder after a day, on the same connection', async () => {
    const program = start([BOT], { DISCORD_TOKEN: world.bot.token, DISCORD_API_URL: world.api });
    expect(await program.line()).toBe('ready');
    const ada = world.person('ada').in('kitchen');
    expect((await ada.slash('remind')).content).toBe('Tomorrow.');
    await instance.clock.advance('24h');
    expect((await ada.nextMessage()).content).toBe('Time for lunch!');
    await instance.clock.advance('7d');
    await ada.slash('remind');
    const gateway = (await world.transcript()).filter(({ kind }) => kind === 'gateway').map(({ text }) => text);
    expect(gateway.filter((text) => /Identify|Resume/.test(text))).toEqual(['Test bot → Identify']);
  });
});
