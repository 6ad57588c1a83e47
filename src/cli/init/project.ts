import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { StartError } from '../../config.js';
import { packageRoot } from '../../infra/package-root.js';
import { dependOnCauseway } from './dependency.js';
import { mergeManifests, parseManifest, readManifest } from './manifest.js';

const TEMPLATE = join(packageRoot(), 'templates/discord-js-typescript');
const MANIFEST = 'package.json';

/** A folder in which only this package was installed has these. */
const ALLOWED = /^(package\.json|package-lock\.json|node_modules|\.git|.+\.tgz)$/;

/** npm does not pack files with these names. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/**
 * Makes a project in a folder, which it creates if it does not exist.
 * @param causeway the specification of this package
 * @returns the name of the project
 * @throws {StartError} before it writes a file
 */
export async function createProject(path: string, causeway: string | undefined): Promise<string> {
  const folder = resolve(path);
  await refuseOtherFiles(folder);
  const own = await readManifest(join(folder, MANIFEST));
  const name = own?.name ?? nameFrom(folder);
  const files = await readTemplate({ name, node: String(Number.parseInt(process.versions.node, 10)) });
  const manifest = mergeManifests(parseManifest(files.get(MANIFEST) ?? ''), own);
  await dependOnCauseway(manifest, folder, causeway);
  files.set(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [file, content] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  }
  return name;
}

/** @throws {StartError} */
async function refuseOtherFiles(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new StartError(`could not read the folder ${folder}: ${error.message}`);
  });
  const other = entries.find((entry) => !ALLOWED.test(entry));
  if (other === undefined) return;
  throw new StartError(
    `${folder} is not empty: it contains ${other}. Name a new folder, or one with only a package.json and its node_modules.`,
  );
}

/** npm accepts it as the name of a package. */
function nameFrom(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return name === '' ? 'bot' : name;
}

/** @returns contents by path, in which `{{key}}` is replaced */
async function readTemplate(values: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(TEMPLATE, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const content = await readFile(file, 'utf8');
    const path = relative(TEMPLATE, file);
    files.set(
      RENAMED[path] ?? path,
      content.replaceAll(/{{(\w+)}}/g, (text, key: string) => values[key] ?? text),
    );
  }
  return files;
}
