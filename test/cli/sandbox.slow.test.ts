import { spawn } from 'node:child_process';
import { join } from 'node:path';
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

describe('a command in a sandbox', () => {
  /** Starts a command in a process group of its own, as a shell does, and sends a signal to all of it. */
  async function interrupted(script: string): Promise<Result> {
    const args = [
      CLI,
      'sandbox',
      '--',
      process.execPath,
      '-e',
      `${script}; console.log('ready'); setInterval(() => {}, 1e6)`,
    ];
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH }, detached: true });
    child.stdout.once('data', () => process.kill(-(child.pid ?? 0), 'SIGINT'));
    return resultOf(child);
  }

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
