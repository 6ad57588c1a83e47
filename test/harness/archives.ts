import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const READ = `
import base64, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps({name: base64.b64encode(archive.read(name)).decode() for name in archive.namelist()}))
`;

/** Contents by path, read by another implementation. */
export async function readZip(archive: Buffer): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'archive-'));
  try {
    const path = join(folder, 'archive.zip');
    await writeFile(path, archive);
    const { stdout } = await promisify(execFile)('python3', ['-c', READ, path], { maxBuffer: 2 ** 28 });
    const contents = Object.entries<string>(JSON.parse(stdout));
    return new Map(contents.map(([name, text]) => [name, Buffer.from(text, 'base64')]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
