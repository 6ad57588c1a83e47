import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest parent with a `package.json`: a bundled module has another depth. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

interface Manifest {
  version: string;
  engines: { node: string };
}

/** The `package.json` of Causeway. */
export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as Manifest;
}
