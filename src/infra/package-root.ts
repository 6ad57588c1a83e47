import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest parent with a `package.json`: a bundled module has another depth. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
