import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Builds the program and the portal's pages if their source changed since the last build: tests start and open what is built. */
export default function build(): void {
  if (isStale('dist/main.js', 'src')) {
    run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
    run('scripts/bundle.mjs');
  }
  if (isStale('dist/portal/routes.json', 'portal')) run('scripts/portal.mjs');
}

function isStale(target: string, source: string): boolean {
  const built = statSync(join(ROOT, target), { throwIfNoEntry: false });
  return built === undefined || built.mtimeMs < newestIn(join(ROOT, source));
}

function run(script: string, ...options: string[]): void {
  // The production build: the test runner sets NODE_ENV to `test`.
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(process.execPath, [script, ...options], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** When a file of a folder last changed, in milliseconds since 1970. */
function newestIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(folder, file)).mtimeMs));
}
