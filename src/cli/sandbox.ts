import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { StartError } from '../config.js';
import { packageRoot } from '../infra/package-root.js';
import type { RunningSandbox } from '../sandbox/start.js';
import { examples } from './examples.js';

/** The folder of the test kit for Python. */
const PYTHON_KIT = join(packageRoot(), 'dist/testing/python');

interface SandboxFlags {
  port: number;
  seed?: string;
  readyFile?: string;
  forKit?: true;
}

export function addSandboxCommand(program: Command): void {
  program
    .command('sandbox')
    .summary('run a throw-away platform to test bots')
    .description(
      'Runs the platform with data that its end removes, a control API at /sandbox, and one world. With a command, it ' +
        'runs the command with the addresses and tokens in its environment and ends with its status.',
    )
    .option('--port <port>', 'the port to listen on; 0 picks a free one', parsePort, 0)
    .option('--seed <file>', 'what the world contains, in YAML or JSON; without it, two people, a server and a bot')
    .option('--ready-file <file>', 'write the addresses and tokens to this file when the sandbox is ready')
    .addOption(
      new Option('--for-kit', 'send the address and the token to the program that started this one').hideHelp(),
    )
    .argument('[command...]', 'a command to run, such as -- npx vitest')
    .addHelpText(
      'after',
      examples(
        ['causeway sandbox', 'run it until Ctrl+C'],
        ['causeway sandbox --seed world.yaml', 'with the people, servers and bots of a file'],
        ['causeway sandbox -- npx vitest run', 'run tests in it'],
        ['causeway sandbox -- node bot.js', 'run a bot with DISCORD_TOKEN and DISCORD_API_URL'],
      ),
    )
    .action(async (command: string[], flags: SandboxFlags) => {
      const { exitAfter } = await import('../program.js');
      await exitAfter(async () => {
        process.exitCode = await run(command, flags);
      });
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}

/** @returns the exit code */
async function run(command: readonly string[], { port, seed, readyFile, forKit }: SandboxFlags): Promise<number> {
  const ended = endOfUse(forKit);
  const content = seed === undefined ? {} : await readSeed(seed);
  const { startSandbox } = await import('../sandbox/start.js');
  const running = await startSandbox({ port, env: process.env });
  try {
    // The test kit makes its own worlds.
    if (forKit) {
      process.send?.({ url: running.url, token: running.token });
      await ended;
      return 0;
    }
    const env = await environmentOf(running, content);
    if (readyFile !== undefined) await writeReadyFile(readyFile, running, env);
    const isWatched = command.length > 0 && process.stderr.isTTY;
    if (isWatched) process.stderr.write(`Play as a person, and watch the bot: ${running.page}\n`);
    const status = command.length > 0 ? await runCommand(command, env, ended) : await untilEnded(running, env, ended);
    process.stderr.write(running.unknownRoutes() ?? '');
    return status;
  } finally {
    await running.stop();
  }
}

async function untilEnded(
  running: RunningSandbox,
  env: Record<string, string>,
  ended: Promise<unknown>,
): Promise<number> {
  process.stdout.write(describe(running, env));
  await ended;
  return 0;
}

/**
 * Resolves on a signal, or when the test kit that started this program ends, with the milliseconds that a command has
 * left.
 */
function endOfUse(forKit = false): Promise<number> {
  return new Promise((resolve) => {
    // A terminal sends SIGINT to the command too.
    process.on('SIGINT', () => resolve(ENDS_BY_ITSELF_MS));
    process.on('SIGTERM', () => resolve(0));
    if (forKit) process.once('disconnect', () => resolve(0));
  });
}

const ENDS_BY_ITSELF_MS = 3_000;

/** A command that is still there so long after SIGTERM is killed. */
const ENDS_ON_SIGTERM_MS = 10_000;

/**
 * Programs such as npx pass a signal on that the terminal sends too: within this time, it is the same one. In
 * milliseconds.
 */
const SAME_SIGNAL_MS = 500;

/** @throws {StartError} */
async function readSeed(file: string): Promise<unknown> {
  // The bundle exports a CommonJS library as the default alone.
  const { default: yaml } = await import('yaml');
  try {
    return yaml.parse(await readFile(file, 'utf8')) ?? {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new StartError(`There is no file ${file}.`);
    throw new StartError(`could not read the seed ${file}: ${(error as Error).message}`);
  }
}

/** Names that libraries and test programs read. */
async function environmentOf(running: RunningSandbox, seed: unknown): Promise<Record<string, string>> {
  const world = await running.createWorld(seed);
  const application = world.applications[0];
  return {
    CAUSEWAY_SANDBOX_URL: running.url,
    CAUSEWAY_SANDBOX_TOKEN: running.token,
    CAUSEWAY_WORLD: world.id,
    PYTHONPATH: [PYTHON_KIT, process.env.PYTHONPATH].filter(Boolean).join(delimiter),
    DISCORD_API_URL: world.api,
    DISCORD_GATEWAY_URL: world.gateway,
    ...(application && {
      DISCORD_TOKEN: application.token,
      DISCORD_APPLICATION_ID: application.id,
      DISCORD_CLIENT_SECRET: application.clientSecret,
      DISCORD_PUBLIC_KEY: application.publicKey,
    }),
    ...(world.guilds[0] && { DISCORD_GUILD_ID: world.guilds[0].id }),
  };
}

/** Appears complete: a program may wait for it. */
async function writeReadyFile(
  file: string,
  { origin, url, page, token }: RunningSandbox,
  env: Record<string, string>,
): Promise<void> {
  const content = { origin, page, control: { url, token }, env };
  await writeFile(`${file}.part`, JSON.stringify(content, null, 2), { mode: 0o600 });
  await rename(`${file}.part`, file);
}

function describe({ origin, url, page }: RunningSandbox, env: Record<string, string>): string {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}=${value}`);
  return `The sandbox is ready.

  play          ${page}
  portal        ${origin}/portal
  control API   ${url}/openapi.json

${lines.join('\n')}

Press Ctrl+C to stop. Its data is then removed.
`;
}

/** Sends SIGTERM after `ms`, and SIGKILL if the command does not heed it or a second signal comes. */
function endCommand(child: ChildProcess, ms: number): void {
  const kill = () => child.kill('SIGKILL');
  setTimeout(() => child.kill(), ms).unref();
  setTimeout(kill, ms + ENDS_ON_SIGTERM_MS).unref();
  setTimeout(() => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, kill);
  }, SAME_SIGNAL_MS).unref();
}

/** @returns the status of the command, or 128 and the number of the signal that ended it */
function runCommand(
  [file = '', ...args]: readonly string[],
  env: Record<string, string>,
  ended: Promise<number>,
): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  void ended.then((ms) => endCommand(child, ms));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new StartError(`could not run ${file}: ${error.message}`)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
