import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const project = join(import.meta.dirname, '../..');

export interface Build {
  /** Path of its `main.js`. */
  entryPoint: string;
  remove(): Promise<void>;
}

/** Copies the built platform with other names for the portal's files, as after a change of their content. */
export async function buildAnew(): Promise<Build> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-build-'));
  await cp(join(project, 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(project, 'package.json'), join(folder, 'package.json'));
  for (const linked of ['node_modules', 'prisma']) await symlink(join(project, linked), join(folder, linked));
  await renameAssets(join(folder, 'dist/pages'));
  return {
    entryPoint: join(folder, 'dist/main.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Renames every file with a content hash in its name, and updates all references. */
async function renameAssets(portal: string): Promise<void> {
  const names = (await readdir(join(portal, 'assets'))).filter((name) => !/\.(br|gz)$/.test(name));
  const marks = new Set(names.flatMap((name) => /-([\w-]{8})\.\w+$/.exec(name)?.[1] ?? []));
  const renewed = (text: string) => [...marks].reduce((now, mark) => now.replaceAll(mark, turned(mark)), text);
  for (const path of ['index.html', ...names.map((name) => join('assets', name))]) {
    const content = renewed(await readFile(join(portal, path), 'utf8'));
    for (const ending of ['', '.br', '.gz']) await rm(join(portal, path + ending));
    const place = join(portal, renewed(path));
    await writeFile(place, content);
    await writeFile(`${place}.br`, brotliCompressSync(content));
    await writeFile(`${place}.gz`, gzipSync(content));
  }
}

function turned(mark: string): string {
  return [...mark].reverse().join('');
}
