import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CLI, noTerminal, type Result, resultOf, SCRIPT } from '../harness/cli.js';
import { needing } from '../harness/skipping.js';

const KIT = pathToFileURL(join(CLI, '../testing/esm/index.js')).href;

const LIST = '1 call went to a route that does not exist here:\n  1 × GET /horoscope\n';

/** Calls a route that does not exist, as the bot of a world that the kit makes. */
const BOT = `
  const { sandbox } = await import('${KIT}');
  const { world } = await sandbox();
  await fetch(world.api + '/v10/horoscope', { headers: { authorization: 'Bot ' + world.bot.token } });
  await world.dispose();
  process.exit();
`;

function runNode(args: readonly string[]): Promise<Result> {
  return resultOf(spawn(process.execPath, args, { env: { PATH: process.env.PATH } }));
}

describe('with a command in a terminal', () => {
  it.skipIf(noTerminal !== null)(needing(noTerminal, 'the address of the page is printed'), async () => {
    const command = `${process.execPath} ${CLI} sandbox -- ${process.execPath} -e 0`;
    const { code, stdout } = await resultOf(spawn(SCRIPT, ['-qec', command, '/dev/null']));
    expect(stdout).toMatch(/^Play as a person, and watch the bot: http:\/\/localhost:\d+\/sandbox\/#token=\S+\s*$/m);
    expect(code).toBe(0);
  });
});

describe('calls to routes that do not exist', () => {
  it('are listed once, at the end of the sandbox around the tests', async () => {
    const { code, stderr } = await runNode([CLI, 'sandbox', '--', process.execPath, '--input-type=module', '-e', BOT]);
    expect(stderr).toBe(LIST);
    expect(code).toBe(0);
  });

  it('are listed when a test removes the world of its own sandbox', async () => {
    const { code, stderr } = await runNode(['--input-type=module', '-e', BOT]);
    expect(stderr).toBe(LIST);
    expect(code).toBe(0);
  });
});

describe('a sandbox that a program starts', () => {
  it('ends before the program does when it is stopped', async () => {
    const script = `
      const { sandbox } = await import('${KIT}');
      const { instance } = await sandbox();
      await instance.stop();
      console.log('stopped');`;
    expect(await runNode(['--input-type=module', '-e', script])).toEqual({ code: 0, stdout: 'stopped\n', stderr: '' });
  });
});

describe('a seed', () => {
  it('that does not exist is named', async () => {
    const { code, stderr } = await runNode([CLI, 'sandbox', '--seed', 'nope.yaml']);
    expect(stderr).toContain('There is no file nope.yaml.');
    expect(stderr).not.toContain('ENOENT');
    expect(code).toBe(1);
  });
});

describe('a command in a sandbox', () => {
  /** Starts it in a process group of its own, as a shell does. */
  function startCommand(script: string): ChildProcessWithoutNullStreams {
    const waiting = `${script}; console.log('ready'); setInterval(() => {}, 1e6)`;
    const args = [CLI, 'sandbox', '--', process.execPath, '-e', waiting];
    return spawn(process.execPath, args, { env: { PATH: process.env.PATH }, detached: true });
  }

  /** Sends SIGINT to all of its group. */
  async function interrupted(script: string): Promise<Result> {
    const child = startCommand(script);
    child.stdout.once('data', () => process.kill(-(child.pid ?? 0), 'SIGINT'));
    return resultOf(child);
  }

  it('is killed by a second signal', async () => {
    const script = `for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => console.log(signal))`;
    const child = startCommand(script);
    const ended = resultOf(child);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await once(child.stdout, 'data');
    await delay(600);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 128 + 9 });
  });

  it('runs also if another program starts the sandbox with a channel', async () => {
    const args = [CLI, 'sandbox', '--', process.execPath, '-e', 'process.exit(5)'];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    expect(await once(child, 'exit')).toEqual([5, null]);
  });

  it('ends by itself when Ctrl+C is pressed', async () => {
    const script = `
      process.on('SIGINT', () => setTimeout(() => process.exit(7), 200));
      process.on('SIGTERM', () => process.exit(8));`;
    expect(await interrupted(script)).toMatchObject({ code: 7 });
  });

  // The command has 3 s.
  it('is ended if it does not heed Ctrl+C', async () => {
    const { code, stdout } = await interrupted(`process.on('SIGINT', () => console.log('no'))`);
    expect({ code, stdout }).toEqual({ code: 128 + 15, stdout: 'ready\nno\n' });
  });
});
