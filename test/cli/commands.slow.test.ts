import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/index.js';
import { CLI, runCli } from '../harness/cli.js';
import { startInstance } from '../harness/process.js';
import { needing, noSqlite } from '../harness/skipping.js';

const root = join(import.meta.dirname, '../..');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const commands = createProgram().commands.map((command) => command.name());

describe('help', () => {
  it('lists every command and the exit codes', async () => {
    const { code, stdout } = await runCli(['--help']);
    expect(code).toBe(0);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(stdout).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}3 .*\n {2}78 /);
  });

  it.each(commands)('of %s has an example', async (command) => {
    const { code, stdout } = await runCli([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: causeway ${command}`);
    expect(stdout).toMatch(new RegExp(`Examples:\n.*causeway ${command}`));
  });

  it('without a command is a usage error', async () => {
    const { code, stderr } = await runCli([]);
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: causeway');
  });
});

it('prints the version of package.json', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

it.each([
  [['strat'], "unknown command 'strat'\n(Did you mean start?)"],
  [['doctor', '--jsn'], "unknown option '--jsn'\n(Did you mean --json?)"],
  [['start', '8080'], "too many arguments for 'start'"],
])('refuses %j with status 2 and says what it does not know', async (args, complaint) => {
  const { code, stderr } = await runCli(args);
  expect(code).toBe(2);
  expect(stderr).toContain(`causeway: ${complaint}`);
  expect(stderr).toContain('--help');
});

it.skipIf(noSqlite)(needing(noSqlite, '`start` runs the platform until a signal, and ends with status 0'), async () => {
  const instance = await startInstance({ DATA_DIR: folder }, 'start', CLI);
  expect(await (await fetch(`${instance.origin}/healthz`)).json()).toEqual({ status: 'ok' });
  expect(await instance.end('SIGTERM')).toBe(0);
});

it.each([
  ['start', { PORT: 'x' }, 'PORT must be a whole number from 0 to 65535'],
  ['box', {}, 'CLOUD_URL must be set'],
])('`%s` fails with status 1 and names the wrong setting', async (command, env, complaint) => {
  const { code, stderr } = await runCli([command], { DATA_DIR: folder, ...env });
  expect(code).toBe(1);
  expect(stderr).toContain(complaint);
});

describe.skipIf(noSqlite)(needing(noSqlite, 'doctor'), () => {
  const env = () => ({ DATA_DIR: join(folder, 'new'), PORT: '0' });

  it('succeeds if a start would', async () => {
    const { code, stdout } = await runCli(['doctor'], env());
    expect(stdout).toContain('the first start creates');
    expect(stdout).not.toMatch(/^(warning|error)/m);
    expect(code).toBe(0);
  });

  it('fails with status 1, and says what is wrong', async () => {
    const { code, stdout } = await runCli(['doctor'], { ...env(), PORT: 'x' });
    expect(stdout).toMatch(/^error +settings +PORT must be a whole number/m);
    expect(code).toBe(1);
  });

  it('prints its checks with `--json`', async () => {
    const { code, stdout } = await runCli(['doctor', '--json'], { ...env(), REDIS_ULR: '', PORT: 'x' });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([
        { name: 'node', status: 'ok', message: `Node.js ${process.versions.node}` },
        { name: 'settings', status: 'warning', message: 'REDIS_ULR is not a setting; did you mean REDIS_URL?' },
        { name: 'settings', status: 'error', message: 'PORT must be a whole number from 0 to 65535' },
      ]),
    });
    expect(code).toBe(1);
  });

  it('checks the settings of a box with `--box`', async () => {
    const { stdout } = await runCli(['doctor', '--box'], env());
    expect(stdout).toMatch(/^error +settings +CLOUD_URL must be set/m);
  });
});
