import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const project = join(import.meta.dirname, '../..');

/** The version 0.1.0, which has no commit `release: 0.1.0`. */
const FIRST_RELEASE = 'da280efe01590494825ab2b8610a3e46203a9aaa';

/** A build reads them. */
const SOURCES = ['package.json', 'prisma', 'prisma.config.ts', 'scripts', 'src', 'tsconfig.json'];

/** The last release before the newest commit, or the reason why it cannot be used. */
export type VersionBefore = { commit: string; version: string; missing: null } | { missing: string };

export function findVersionBefore(): VersionBefore {
  try {
    const release = ['--extended-regexp', '--grep=^release: [0-9]+\\.[0-9]+\\.[0-9]+$', '--max-count=1'];
    const found = git('log', ...release, '--format=%H', 'HEAD~1').trim();
    const commit = found === '' ? FIRST_RELEASE : found;
    const { version } = JSON.parse(git('show', `${commit}:package.json`)) as { version: string };
    return { commit, version, missing: null };
  } catch {
    return { missing: 'needs a clone with the commit of the last release' };
  }
}

/** Names of the migrations of a commit. */
export function migrationsOf(commit: string): string[] {
  return git('ls-tree', '--name-only', `${commit}:prisma/migrations/postgresql`).trim().split('\n');
}

/**
 * Builds a commit with the packages and the portal of this checkout. Later runs use the same build.
 * @returns the path of its `main.js`
 */
export async function buildOf(commit: string): Promise<string> {
  const kept = join(project, 'node_modules/.causeway/versions', commit);
  const entryPoint = join(kept, 'dist/main.js');
  if (await stat(entryPoint).catch(() => null)) return entryPoint;
  // The generator of the database client writes to node_modules, so the build has its own.
  const folder = await mkdtemp(join(tmpdir(), 'causeway-version-'));
  try {
    git('archive', `--output=${join(folder, 'source.tar')}`, commit, ...SOURCES);
    run(folder, 'tar', '-xf', 'source.tar');
    await linkPackages(join(folder, 'node_modules'));
    run(folder, process.execPath, 'scripts/generate.mjs');
    run(folder, process.execPath, 'scripts/bundle.mjs');
    await keep(folder, kept);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return entryPoint;
}

async function linkPackages(folder: string): Promise<void> {
  await mkdir(folder);
  const packages = join(project, 'node_modules');
  const names = (await readdir(packages)).filter((name) => name === '.bin' || !name.startsWith('.'));
  for (const name of names) await symlink(join(packages, name), join(folder, name));
}

/** Copies what a process needs. A build that is complete gets its name last. */
async function keep(folder: string, kept: string): Promise<void> {
  const copy = `${kept}.${process.pid}`;
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  for (const name of ['package.json', 'prisma', 'dist'])
    await cp(join(folder, name), join(copy, name), { recursive: true });
  await cp(join(project, 'dist/pages'), join(copy, 'dist/pages'), { recursive: true });
  await rename(copy, kept);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function run(cwd: string, program: string, ...args: string[]): void {
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
}
