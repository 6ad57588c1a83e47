import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Builds the program, the test kit and the portal if their source has changed since the last build. Tests run the built files. */
export default function build(): void {
  renew(
    'dist/main.js',
    ['src', 'tsconfig.build.json', 'tsconfig.json', 'scripts/bundle.mjs', 'package-lock.json'],
    () => {
      run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
      run('scripts/bundle.mjs');
    },
  );
  renew(
    'dist/testing/esm/package.json',
    ['src/testing', 'src/sandbox/protocol.ts', 'tsconfig.testing.json', 'scripts/testing.mjs'],
    () => run('scripts/testing.mjs'),
  );
  renew('dist/pages/routes.json', ['portal', 'scripts/portal.mjs', 'package-lock.json'], () =>
    run('scripts/portal.mjs'),
  );
}

/** Builds `target` if a source is newer. Its time is the start of the build, so that later changes count. */
function renew(target: string, sources: string[], make: () => void): void {
  const path = join(ROOT, target);
  const built = statSync(path, { throwIfNoEntry: false });
  if (built && sources.every((source) => newestIn(join(ROOT, source)) <= built.mtimeMs)) return;
  const begun = new Date();
  make();
  utimesSync(path, begun, begun);
}

function run(script: string, ...options: string[]): void {
  // The production build: the test runner sets NODE_ENV to `test`.
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(process.execPath, [script, ...options], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Milliseconds since 1970. */
function newestIn(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(path, file)).mtimeMs));
}
