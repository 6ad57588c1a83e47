import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProject } from '../../src/cli/init/project.js';
import { runCli } from '../harness/cli.js';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGE = '@causeway-preview/causeway';

let parent: string;
let folder: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'causeway-init-'));
  folder = join(parent, 'Lunch Bot!');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const manifest = async () => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

/** Makes a folder that has only a `package.json`. */
async function folderWith(content: string): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), content);
}

describe('a new folder', () => {
  it('gets a project with its name, the major version of Node.js and a .gitignore', async () => {
    expect(await createProject(folder, '1.2.3')).toBe('lunch-bot');
    expect(await manifest()).toMatchObject({ name: 'lunch-bot', devDependencies: { [PACKAGE]: '1.2.3' } });
    expect(await readFile(join(folder, 'README.md'), 'utf8')).toMatch(/^# lunch-bot\n/);
    const ci = await readFile(join(folder, '.github/workflows/ci.yml'), 'utf8');
    expect(ci).toContain(`node-version: ${process.versions.node.split('.')[0]}\n`);
    const files = await readdir(folder);
    expect(files).toContain('.gitignore');
    expect(files).not.toContain('gitignore');
  });

  it('gets the path of a tarball from its own place', async () => {
    await writeFile(join(parent, 'causeway.tgz'), '');
    await createProject(folder, join(parent, 'causeway.tgz'));
    expect((await manifest()).devDependencies[PACKAGE]).toBe('file:../causeway.tgz');
  });

  it('is printed with the next steps', async () => {
    const { code, stdout } = await runCli(['init', folder, '--causeway', '1.2.3']);
    expect(stdout).toMatch(/^Created lunch-bot\.\n\nNext:\n\n {2}cd .*Lunch Bot!.*\n {2}npm install\n/);
    expect(code).toBe(0);
  });
});

describe('a folder with a package.json', () => {
  it('keeps its fields, dependencies and scripts', async () => {
    const spec = 'file:causeway.tgz';
    const devDependencies = { [PACKAGE]: spec, typescript: '5.9.0' };
    await folderWith(
      JSON.stringify({ name: 'soup', type: 'commonjs', scripts: { test: 'no', lint: 'x' }, devDependencies }),
    );
    expect(await createProject(folder, undefined)).toBe('soup');
    expect(await manifest()).toMatchObject({
      name: 'soup',
      type: 'module',
      scripts: { test: expect.stringContaining('causeway sandbox'), lint: 'x' },
      dependencies: { 'discord.js': expect.any(String) },
      devDependencies,
    });
  });

  it('gets another version of the package where it had it', async () => {
    await folderWith(JSON.stringify({ dependencies: { [PACKAGE]: '1.0.0' } }));
    await createProject(folder, '1.2.3');
    expect((await manifest()).dependencies[PACKAGE]).toBe('1.2.3');
    expect((await manifest()).devDependencies).not.toHaveProperty(PACKAGE);
  });

  it.each([
    ['{', 'SyntaxError'],
    ['{ "scripts": [] }', 'expected record'],
  ])('is refused if the file contains %s', async (content, reason) => {
    await folderWith(content);
    await expect(createProject(folder, '1.2.3')).rejects.toThrow(
      new RegExp(`package\\.json is not valid\\. Correct it, or name another folder: .*${reason}`),
    );
  });
});

describe('a refusal', () => {
  it('names the file in a folder that is not empty, with status 1, and writes nothing', async () => {
    await folderWith('{}');
    await writeFile(join(folder, 'bot.js'), '');
    const { code, stderr } = await runCli(['init', folder, '--causeway', '1.2.3']);
    expect(stderr).toMatch(/^causeway: .* is not empty: it contains bot\.js\. Name a new folder/);
    expect(code).toBe(1);
    expect(await readdir(folder)).toEqual(['bot.js', 'package.json']);
    expect(await manifest()).toEqual({});
  });

  it('says which option is missing if the program is not installed in a project', async () => {
    await expect(createProject(folder, undefined)).rejects.toThrow(/Name a version or a tarball .* with --causeway/);
    expect(await readdir(parent)).toEqual([]);
  });

  it('names a tarball that does not exist', async () => {
    await expect(createProject(folder, './none.tgz')).rejects.toThrow(/there is no file .*none\.tgz/);
  });

  it('names a file with the name of the folder', async () => {
    await writeFile(folder, '');
    await expect(createProject(folder, '1.2.3')).rejects.toThrow(/could not read the folder .*ENOTDIR/);
  });
});

it('the template has the versions that this repository tests', async () => {
  const own = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const template = JSON.parse(await readFile(join(ROOT, 'templates/discord-js-typescript/package.json'), 'utf8'));
  expect(own.devDependencies).toMatchObject({ ...template.dependencies, ...template.devDependencies });
  expect(template.engines).toEqual(own.engines);
});
