import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { StartError } from '../../config.js';
import { packageRoot } from '../../infra/package-root.js';
import { type Manifest, readManifest } from './manifest.js';

/** The name under which projects install this package and import its test kit. */
const PACKAGE = '@causeway-preview/causeway';

/**
 * Adds this package to the dependencies of the project in `folder`: with the given specification, the one that is there,
 * or the one with which the running program was installed.
 * @throws {StartError}
 */
export async function dependOnCauseway(manifest: Manifest, folder: string, given: string | undefined): Promise<void> {
  const section = PACKAGE in manifest.dependencies ? manifest.dependencies : manifest.devDependencies;
  if (given !== undefined) section[PACKAGE] = isPath(given) ? specOfTarball(resolve(given), folder) : given;
  section[PACKAGE] ??= await runningSpec(folder);
}

function isPath(spec: string): boolean {
  return isAbsolute(spec) || spec.startsWith('.') || (spec.endsWith('.tgz') && !spec.includes(':'));
}

/** @throws {StartError} */
function specOfTarball(file: string, folder: string): string {
  if (existsSync(file)) return `file:${relative(folder, file).split(sep).join('/')}`;
  throw new StartError(`there is no file ${file}. Name a version or a tarball of \`npm pack\` with --causeway.`);
}

/** @throws {StartError} */
async function runningSpec(folder: string): Promise<string> {
  const project = projectAround(packageRoot());
  const spec = project && specIn(await readManifest(join(project, 'package.json')));
  if (project && spec) return spec.startsWith('file:') ? specOfTarball(resolve(project, spec.slice(5)), folder) : spec;
  throw new StartError(
    'the project depends on the package of this program, which is not installed in a project. ' +
      'Name a version or a tarball of `npm pack` with --causeway.',
  );
}

function specIn(manifest: Manifest | null): string | undefined {
  return manifest?.dependencies[PACKAGE] ?? manifest?.devDependencies[PACKAGE];
}

/** The folder with the `node_modules` of an installed package; null for a clone. */
function projectAround(root: string): string | null {
  const modules = resolve(root, ...PACKAGE.split('/').map(() => '..'));
  return basename(modules) === 'node_modules' ? dirname(modules) : null;
}
