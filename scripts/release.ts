// `npm run release -- VERSION|patch|minor|major [--dry-run]`: writes the version and its notes, packs the tarball into
// `release`, commits, and makes a tag. It pushes nothing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { releaseChangelog } from './release/changelog.js';
import { nextVersion, versionsInTable } from './release/versions.js';

const FOLDER = 'release';

/** Their text is about single versions. */
const ABOUT_VERSIONS = ['CHANGELOG.md', 'docs/upgrading.md'];

interface Plan {
  name: string;
  version: string;
  notes: string;
  /** The new text of each file that changes. */
  files: Map<string, string>;
}

try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } });
  const [asked] = positionals;
  if (asked === undefined || positionals.length > 1) {
    throw new Error('usage: npm run release -- VERSION|patch|minor|major [--dry-run]');
  }
  requireCleanMain();
  const plan = makePlan(asked);
  if (values['dry-run']) describePlan(plan);
  else carryOut(plan);
} catch (error) {
  console.error(`release: ${(error as Error).message}`);
  process.exitCode = 1;
}

function requireCleanMain(): void {
  const branch = git('branch', '--show-current').trim();
  if (branch !== 'main') throw new Error(`a release is made on main, not on ${branch || 'a detached commit'}.`);
  const changes = git('status', '--porcelain').trimEnd();
  if (changes !== '') throw new Error(`commit or remove these changes first:\n${changes}`);
}

/** @throws if something is missing */
function makePlan(asked: string): Plan {
  const { name, version: current } = JSON.parse(read('package.json')) as { name: string; version: string };
  const version = nextVersion(current, asked);
  if (git('tag', '--list', tagOf(version)) !== '') throw new Error(`the tag ${tagOf(version)} exists.`);
  if (!versionsInTable(read('docs/upgrading.md')).includes(version)) {
    throw new Error(`docs/upgrading.md has no row for ${version}. Add how to upgrade to it.`);
  }
  const { text, notes } = releaseChangelog(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10));
  const files = new Map([
    ['CHANGELOG.md', text],
    ['package.json', read('package.json').replace(`"version": "${current}"`, `"version": "${version}"`)],
    ['package-lock.json', lockedAs(version)],
  ]);
  for (const [path, changed] of mentions(name, current, version)) files.set(path, changed);
  return { name, version, notes, files };
}

function lockedAs(version: string): string {
  const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: { '': { version: string } } };
  lock.version = version;
  lock.packages[''].version = version;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Documents and examples with the name of the tarball or the tag of the image. */
function mentions(name: string, current: string, version: string): [string, string][] {
  const tarball = tarballOf(name, current);
  const image = `causeway:${current}`;
  const excluded = ABOUT_VERSIONS.map((path) => `:!${path}`);
  const found = git('ls-files', '--', '*.md', '*.yaml', '*.yml', ...excluded).split('\n');
  return found.filter(Boolean).flatMap((path): [string, string][] => {
    const before = read(path);
    const after = before.replaceAll(tarball, tarballOf(name, version)).replaceAll(image, `causeway:${version}`);
    return after === before ? [] : [[path, after]];
  });
}

function describePlan({ name, version, notes, files }: Plan): void {
  console.log(`Would release ${version} with these notes:\n\n${notes}\n`);
  console.log(`Would change ${[...files.keys()].join(', ')},`);
  console.log(`pack ${FOLDER}/${tarballOf(name, version)}, commit "release: ${version}" and tag ${tagOf(version)}.`);
}

function carryOut({ name, version, notes, files }: Plan): void {
  const tarball = tarballOf(name, version);
  try {
    for (const [path, text] of files) writeFileSync(path, text);
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER);
    // `npm pack` builds.
    execFileSync('npm', ['pack', '--loglevel=warn', '--pack-destination', FOLDER], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    writeFileSync(`${FOLDER}/NOTES.md`, `${notes}\n`);
    const sum = createHash('sha256')
      .update(readFileSync(`${FOLDER}/${tarball}`))
      .digest('hex');
    writeFileSync(`${FOLDER}/SHA256SUMS`, `${sum}  ${tarball}\n`);
    git('commit', '--quiet', '--message', `release: ${version}`, '--', ...files.keys());
  } catch (error) {
    git('checkout', '--quiet', 'HEAD', '--', ...files.keys());
    throw error;
  }
  // Notes have headings, which are comments by default.
  git('tag', '--annotate', '--cleanup=verbatim', '--message', `${version}\n\n${notes}`, tagOf(version));
  console.log(`${version} is committed and tagged, and ${FOLDER} has ${tarball}, NOTES.md and SHA256SUMS.
Next:
  git push origin main ${tagOf(version)}
  publish the files of ${FOLDER} with the notes
  build the image: docker build --tag causeway:${version} .`);
}

function tagOf(version: string): string {
  return `v${version}`;
}

/** As `npm pack` names it. */
function tarballOf(name: string, version: string): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' });
}
