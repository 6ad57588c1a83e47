import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
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

const program = createProgram();
const commands = program.commands.map((command) => command.name());

/** Every command with its path, such as `app plan`. */
function everyCommand(parent: Command, path: readonly string[] = []): [path: string, command: Command][] {
  return parent.commands.flatMap((command) => {
    const own = [...path, command.name()];
    return [[own.join(' '), command] as [string, Command], ...everyCommand(command, own)];
  });
}

const tree = everyCommand(program);

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

  it.each(tree)('of %s describes the command and each option and argument', async (path, command) => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/s);
    for (const { flags, description } of command.options) expect(description, flags).not.toBe('');
    for (const argument of command.registeredArguments) expect(argument.description, argument.name()).not.toBe('');
    const { code, stdout, stderr } = await runCli([...path.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: causeway ${path}`);
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
  [['app', 'plam'], "unknown command 'plam'\n(Did you mean plan?)"],
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
    expect(stdout).not.toMatch(/^(warning|failure) /m);
    expect(stdout).toMatch(/\nfailures: 0, warnings: 0, ok: \d+, skipped: \d+\n$/);
    expect(code).toBe(0);
  });

  it('fails with status 1, and says what is wrong', async () => {
    const { code, stdout } = await runCli(['doctor'], { ...env(), PORT: 'x' });
    expect(stdout).toMatch(/^failure +settings +PORT must be a whole number/m);
    expect(code).toBe(1);
  });

  it('prints its checks with `--json`', async () => {
    const { code, stdout } = await runCli(['doctor', '--json'], { ...env(), REDIS_ULR: '', PORT: 'x' });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([
        { id: 'node', state: 'ok', message: `Node.js ${process.versions.node}` },
        { id: 'settings', state: 'warning', message: 'REDIS_ULR is not a setting; did you mean REDIS_URL?' },
        { id: 'settings', state: 'failure', message: 'PORT must be a whole number from 0 to 65535' },
      ]),
    });
    expect(code).toBe(1);
  });

  it('checks the settings of a box with `--box`', async () => {
    const { stdout } = await runCli(['doctor', '--box'], env());
    expect(stdout).toMatch(/^failure +settings +CLOUD_URL must be set/m);
  });
});
