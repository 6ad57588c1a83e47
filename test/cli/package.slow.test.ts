import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Result, resultOf } from '../harness/cli.js';
import { freePort } from '../harness/ports.js';
import { needing, noSqlite } from '../harness/skipping.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '../..');
const MOST_MB = 150;
const LONGEST_INSTALL_MS = 60_000;

/** Settings of an npm that runs the tests, such as its project, are not those of the npm under test. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|INIT_CWD)/.test(name)),
);

function run(command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): ChildProcess {
  return spawn(command, args, { cwd, env: { ...environment, ...env }, detached: true });
}

async function missingRegistry(): Promise<string | null> {
  const { code } = await resultOf(run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'], tmpdir()));
  return code === 0 ? null : 'the registry of npm does not answer';
}

const missing = noSqlite ?? (await missingRegistry());

describe.skipIf(missing)(needing(missing, 'the package'), () => {
  let folder: string;
  /** An empty project that installed the package. */
  let project: string;
  /** A PATH with Node.js, npm and a shell, but no compiler. */
  let path: string;
  let installed: { ms: number; result: Result };
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-package-'));
    project = join(folder, 'project');
    path = join(folder, 'bin');
    await mkdir(project);
    await mkdir(path);
    for (const program of ['node', 'npm', 'npx', 'sh']) await symlink(await find(program), join(path, program));
    const packed = await resultOf(
      run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], ROOT),
    );
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
    const startedAt = performance.now();
    const result = await resultOf(inProject('npm', ['install', '--ignore-scripts', join(folder, filename)]));
    installed = { ms: performance.now() - startedAt, result };
  });
  afterAll(async () => {
    for (const { pid, exitCode, signalCode } of children) {
      if (pid && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
    }
    await rm(folder, { recursive: true, force: true });
  });

  function inProject(command: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    return run(join(path, command), args, project, { PATH: path, ...env });
  }

  const causeway = (args: readonly string[], env: Record<string, string> = {}) => {
    const child = inProject('npx', ['--no', 'causeway', ...args], { DATA_DIR: join(folder, 'data'), ...env });
    children.push(child);
    return child;
  };

  it('installs in a minute without scripts and without a compiler, and takes less than 150 MB', async () => {
    expect(installed.result).toMatchObject({ code: 0 });
    expect(installed.ms).toBeLessThan(LONGEST_INSTALL_MS);
    expect((await sizeOf(join(project, 'node_modules'))) / 1e6).toBeLessThan(MOST_MB);
    for (const compiler of ['cc', 'gcc', 'g++', 'make', 'python3'])
      await expect(stat(join(path, compiler))).rejects.toThrow();
  });

  it('contains what a run needs, and nothing else', async () => {
    const content = await readdir(join(project, 'node_modules/@causeway-preview/causeway'));
    expect(content.toSorted()).toEqual([
      'README.md',
      'dist',
      'docs',
      'examples',
      'package.json',
      'prisma',
      'templates',
    ]);
    const built = await readdir(join(project, 'node_modules/@causeway-preview/causeway/dist'));
    expect(built.toSorted()).toEqual([
      'chunks',
      'cli.js',
      'main.js',
      'native',
      'pages',
      'prepared.db',
      'sandbox-page',
      'testing',
    ]);
  });

  it('starts the platform with its pages, both APIs and their documentation', async () => {
    const port = String(await freePort());
    const child = causeway(['start'], { PORT: port });
    await output(child).until('"msg":"ready');
    const origin = `http://127.0.0.1:${port}`;
    const page = async (at: string) => (await fetch(`${origin}${at}`, { headers: { accept: 'text/html' } })).text();
    const query = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ __typename }"}',
    };

    expect(await (await fetch(`${origin}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await page('/portal')).toContain('<title>Causeway</title>');
    expect(await (await fetch(`${origin}/graphql`, query)).json()).toEqual({ data: { __typename: 'Query' } });
    expect(await (await fetch(`${origin}/api/v10/gateway`)).json()).toEqual({ url: `ws://localhost:${port}/gateway` });
    for (const at of ['/graphql', '/reference']) {
      const [, script = ''] = /<script src="([^"]+)"/.exec(await page(at)) ?? [];
      expect((await page(script)).length, at).toBeGreaterThan(1e6);
    }
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await once(child, 'close');
  });

  it.for(['mjs', 'cjs'])('runs tests in a sandbox with a module of the type %s', async (extension) => {
    await writeFile(join(project, `bot.test.${extension}`), extension === 'mjs' ? `import ${TEST}` : required(TEST));
    const { code, stdout, stderr } = await resultOf(inProject('node', ['--test', `bot.test.${extension}`]));
    expect(stdout + stderr).toContain('# pass 1');
    expect(code).toBe(0);
  });

  it('runs the first test of docs/testing-bots.md as printed', async () => {
    const page = await readFile(join(ROOT, 'docs/testing-bots.md'), 'utf8');
    const [bot = '', test = ''] = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
    const folder = join(project, 'documented');
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    await symlink(join(ROOT, 'node_modules/discord.js'), join(folder, 'node_modules/discord.js'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'bot.js'), bot);
    await writeFile(join(folder, 'bot.test.js'), test);
    const { code, stdout } = await resultOf(inProject('node', ['--test', 'documented/']));
    expect(stdout).toContain('# pass 1');
    expect(code).toBe(0);
  });

  it('runs the tests of docs/testing-recipes.md as printed', async () => {
    const page = await readFile(join(ROOT, 'docs/testing-recipes.md'), 'utf8');
    const [bot = '', ...tests] = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
    const folder = join(project, 'recipes');
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    for (const name of ['discord.js', 'discord-interactions']) {
      await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    }
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'bot.js'), bot);
    await writeFile(join(folder, 'recipes.test.js'), tests.join('\n'));
    const { code, stdout } = await resultOf(causeway(['sandbox', '--', 'node', '--test', 'recipes/']));
    expect([code, stdout]).toEqual([0, expect.stringContaining(`# pass ${tests.length - 1}\n`)]);
  });

  it('runs a command inside a sandbox with its addresses, and ends with its status', async () => {
    const script =
      "fetch(process.env.DISCORD_API_URL + '/v10/users/@me', { headers: { authorization: 'Bot ' + process.env.DISCORD_TOKEN } })" +
      '.then((answer) => answer.json()).then(({ username }) => { console.log(username); process.exit(7); })';
    const { code, stdout, stderr } = await resultOf(causeway(['sandbox', '--', 'node', '-e', script]));
    expect(stdout).toContain('Test bot');
    expect(stderr).toBe('');
    expect(code).toBe(7);
  });

  it('makes a project whose test passes, and whose bot restarts when a file changes', async () => {
    const bot = join(folder, 'lunch-bot');
    const npm = (...args: string[]) => run(join(path, 'npm'), args, bot, { PATH: path });
    const created = await resultOf(causeway(['init', '../lunch-bot']));
    expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining('cd ../lunch-bot\n') });
    expect(await resultOf(npm('install', '--ignore-scripts'))).toMatchObject({ code: 0 });
    expect(await resultOf(npm('run', 'typecheck'))).toMatchObject({ code: 0 });
    expect(await resultOf(npm('test'))).toMatchObject({ code: 0, stdout: expect.stringContaining('pass 1\n') });

    const dev = npm('run', 'dev');
    children.push(dev);
    const printed = output(dev);
    await printed.until('Lunch bot is ready.');
    await appendFile(join(bot, 'src/commands/lunch.ts'), 'console.log("changed");\n');
    await printed.until('changed');
    await printed.until('Lunch bot is ready.');
    process.kill(-(dev.pid ?? 0), 'SIGINT');
    await once(dev, 'close');
  });

  it('says what is missing if it was packed for another Node.js', async () => {
    const native = join(project, 'node_modules/@causeway-preview/causeway/dist/native');
    const [name = ''] = await readdir(native);
    const other = name.replace(/node\d+-abi\d+/, 'node999-abi999');
    await rename(join(native, name), join(native, other));
    const { code, stderr } = await resultOf(causeway(['start'], { PORT: '0' }));
    await rename(join(native, other), join(native, name));
    expect(code).toBe(1);
    expect(stderr).toContain(
      `no driver for SQLite fits ${process.platform}-${process.arch} with Node.js ${process.versions.node} (ABI ${process.versions.modules})`,
    );
    expect(stderr).toMatch(/contains better-sqlite3 [\d.]+ for .* with Node.js 999 \(ABI 999\)/);
    expect(stderr).toMatch(/npm install better-sqlite3@[\d.]+/);
  });
});

/** A test as its author writes it. Without the package's instance, it starts one. */
const TEST = `{ sandbox } from '@causeway-preview/causeway/testing';
import assert from 'node:assert';
import { test } from 'node:test';

test('a person writes', async () => {
  const { world } = await sandbox({ seed: { guilds: [{ name: 'Kitchen', channels: ['kitchen'] }] } });
  const message = await world.person('ada').in('kitchen').send('hello');
  assert.equal(message.content, 'hello');
});
`;

function required(esm: string): string {
  return `import ${esm}`.replace(/import (.+) from (.+);/g, 'const $1 = require($2);');
}

async function find(program: string): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const found = await realpath(join(folder, program)).catch(() => null);
    if (found) return found;
  }
  throw new Error(`${program} is not in PATH`);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const sizes = entries.map(async (entry) =>
    entry.isFile() ? (await stat(join(entry.parentPath, entry.name))).size : 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function output({ stdout, stderr }: ChildProcess): { until(text: string): Promise<void> } {
  if (!stdout || !stderr) throw new Error('the process has no output');
  stderr.pipe(process.stderr, { end: false });
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    /** Reads to the next line with a text. @throws Error if the process ends first */
    async until(text) {
      for (;;) {
        const { done, value } = await lines.next();
        if (done) throw new Error(`the process ended before it printed ${text}`);
        if (value.includes(text)) return;
      }
    },
  };
}
