import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Builds the portal's pages where they changed since they were built: browsers open what is built. */
export default function buildPages(): void {
  const built = statSync(join(ROOT, 'dist/portal/routes.json'), { throwIfNoEntry: false });
  if (built && built.mtimeMs > newestIn(join(ROOT, 'portal'))) return;
  // As they are built for everybody: what runs tests says that it is no production.
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(process.execPath, ['scripts/portal.mjs'], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** When a file of a folder was changed last, in milliseconds since 1970. */
function newestIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(folder, file)).mtimeMs));
}
