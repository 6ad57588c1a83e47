import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { releaseChangelog } from '../../scripts/release/changelog.js';
import { isHigher, nextVersion } from '../../scripts/release/versions.js';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/release.ts');
const TSX = fileURLToPath(import.meta.resolve('tsx'));

const CHANGELOG = `# Changelog

## Unreleased

### Added

- Otters.

## 0.1.0 - 2026-01-01

- Badgers.
`;

const PACKAGE = { name: '@zoo/otters', version: '0.1.0', private: true, files: ['README.md'] };

const FILES = {
  '.gitignore': 'release/\n',
  'CHANGELOG.md': CHANGELOG,
  'README.md': 'Run `npm install ./zoo-otters-0.1.0.tgz`. Needs at least 0.1.0.\n',
  'docs/upgrading.md': '| Version | Rolling |\n|---|---|\n| 0.2.0 | Yes |\n| 0.1.0 | |\n',
  'examples/app.yaml': 'image: registry.example.com/causeway:0.1.0\n',
  'package.json': `${JSON.stringify(PACKAGE, null, 2)}\n`,
  'package-lock.json': `${JSON.stringify({ version: '0.1.0', packages: { '': { version: '0.1.0' } } }, null, 2)}\n`,
};

describe('a release', () => {
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-release-'));
    await mkdir(join(folder, 'docs'));
    await mkdir(join(folder, 'examples'));
    for (const [path, text] of Object.entries(FILES)) write(path, text);
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'Ada');
    git('config', 'user.email', 'ada@people.example');
    commit('first');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const commit = (message: string) => {
    git('add', '--all');
    git('commit', '--quiet', '--message', message);
  };
  const release = (...args: string[]) =>
    spawnSync(process.execPath, ['--import', TSX, SCRIPT, ...args], { cwd: folder, encoding: 'utf8' });

  it('writes the version and its notes, packs, commits and tags', () => {
    const { status, stdout, stderr } = release('minor');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('git push origin main v0.2.0');
    const date = new Date().toISOString().slice(0, 10);
    expect(read('CHANGELOG.md')).toBe(CHANGELOG.replace('## Unreleased\n', `## Unreleased\n\n## 0.2.0 - ${date}\n`));
    expect(JSON.parse(read('package.json'))).toEqual({ ...PACKAGE, version: '0.2.0' });
    expect(JSON.parse(read('package-lock.json'))).toEqual({ version: '0.2.0', packages: { '': { version: '0.2.0' } } });
    expect(read('README.md')).toBe('Run `npm install ./zoo-otters-0.2.0.tgz`. Needs at least 0.1.0.\n');
    expect(read('examples/app.yaml')).toBe('image: registry.example.com/causeway:0.2.0\n');
    expect(git('log', '--format=%s', '--max-count=1')).toBe('release: 0.2.0');
    expect(git('status', '--porcelain')).toBe('');
    expect(git('tag', '--list', '--format=%(objecttype) %(contents)', 'v0.2.0')).toBe(
      'tag 0.2.0\n\n### Added\n\n- Otters.',
    );
    expect(readdirSync(join(folder, 'release')).sort()).toEqual(['NOTES.md', 'SHA256SUMS', 'zoo-otters-0.2.0.tgz']);
    expect(read('release/NOTES.md')).toBe('### Added\n\n- Otters.\n');
    const tarball = readFileSync(join(folder, 'release/zoo-otters-0.2.0.tgz'));
    const sum = createHash('sha256').update(tarball).digest('hex');
    expect(read('release/SHA256SUMS')).toBe(`${sum}  zoo-otters-0.2.0.tgz\n`);
  });

  it('shows what it would do with --dry-run, and changes nothing', () => {
    const { status, stdout } = release('0.2.0', '--dry-run');
    expect(status).toBe(0);
    expect(stdout).toContain('- Otters.');
    expect(stdout).toContain('CHANGELOG.md, package.json, package-lock.json, README.md, examples/app.yaml');
    expect([git('status', '--porcelain', '--ignored'), git('tag', '--list')]).toEqual(['', '']);
  });

  it('restores the files if the build fails', () => {
    write('package.json', JSON.stringify({ ...PACKAGE, scripts: { prepare: 'exit 1' } }));
    commit('break the build');
    expect(release('minor').status).toBe(1);
    expect([git('status', '--porcelain'), git('tag', '--list')]).toEqual(['', '']);
    expect(git('log', '--format=%s', '--max-count=1')).toBe('break the build');
  });

  it.each<[refused: string, version: string, prepare: () => unknown, error: string]>([
    ['another branch', 'minor', () => git('switch', '--quiet', '--create', 'otters'), 'made on main, not on otters'],
    ['changes', 'minor', () => write('README.md', 'changed'), 'M README.md'],
    ['an existing tag', 'minor', () => git('tag', 'v0.2.0'), 'the tag v0.2.0 exists'],
    ['a version without instructions', '0.3.0', () => {}, 'docs/upgrading.md has no row for 0.3.0'],
  ])('refuses %s', (_, version, prepare, error) => {
    prepare();
    const { status, stderr } = release(version);
    expect(status).toBe(1);
    expect(stderr).toContain(error);
  });
});

it.each([
  ['0.1.9', 'patch', '0.1.10'],
  ['0.1.9', 'minor', '0.2.0'],
  ['0.1.9', 'major', '1.0.0'],
  ['0.9.0', '0.10.0', '0.10.0'],
])('after %s, %s releases %s', (current, asked, version) => {
  expect(nextVersion(current, asked)).toBe(version);
});

it.each(['0.1.9', '0.1.8', '0.0.10', '0.2', 'v0.2.0', '0.2.0-beta'])('refuses to release %s after 0.1.9', (asked) => {
  expect(() => nextVersion('0.1.9', asked)).toThrow(asked);
});

it('orders versions by their numbers', () => {
  const versions = ['1.0.0', '0.10.0', '0.9.1', '0.9.0'];
  expect(versions.toSorted((one, other) => (isHigher(one, other) ? -1 : 1))).toEqual(versions);
  expect(isHigher('1.0.0', '1.0.0')).toBe(false);
});

it('refuses to release a changelog without new entries', () => {
  const changelog = CHANGELOG.replace('- Otters.\n', '');
  expect(() => releaseChangelog(changelog, '0.2.0', '2026-02-01')).toThrow('no entries');
  expect(() => releaseChangelog('# Changelog\n', '0.2.0', '2026-02-01')).toThrow('no chapter');
});

it('releases the first version of a changelog', () => {
  const { text, notes } = releaseChangelog('# Changelog\n\n## Unreleased\n\n- Otters.\n', '0.1.0', '2026-02-01');
  expect(text).toBe('# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-02-01\n\n- Otters.\n');
  expect(notes).toBe('- Otters.');
});

it('the documents and examples name the current version', () => {
  const root = resolve(import.meta.dirname, '../..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as typeof PACKAGE;
  const paths = [
    'README.md',
    'docs/testing-bots.md',
    'compose.yaml',
    'compose.cluster.yaml',
    'examples/kubernetes/causeway.yaml',
  ];
  const named = paths.map((path) => /causeway[-:](\d+\.\d+\.\d+)/.exec(readFileSync(join(root, path), 'utf8'))?.[1]);
  expect(named).toEqual(paths.map(() => version));
});
