import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readinessOf } from './harness/readiness.js';
import { formOf, openScene, type Scene } from './harness/rest.js';
import { startServer, type TestServer } from './harness/server.js';
import { needing, noSqlite } from './harness/skipping.js';

const SIZE = '12m';

function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'ignore' });
}

/** The reason why a small file system cannot be made, or null. */
function missingForMount(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-disk-'));
  try {
    mount(folder);
    execFileSync('umount', [folder]);
    return null;
  } catch {
    return 'needs the right to mount a tmpfs';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const missing = noSqlite ?? missingForMount();

describe.skipIf(missing)(needing(missing, 'a full disk'), () => {
  let server: TestServer;
  let scene: Scene;
  let folder: string;
  let filler: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-disk-'));
    mount(folder);
    filler = join(folder, 'filler');
    server = await startServer({ env: { DATA_DIR: folder, DATABASE_URL: '' } });
    scene = await openScene(server);
  });
  afterAll(async () => {
    await server?.stop();
    execFileSync('umount', [folder]);
    await rm(folder, { recursive: true });
  });

  const upload = () => {
    const file = { name: 'files[0]', content: Buffer.alloc(256 * 1024), filename: 'a.bin' };
    return scene.bot.ask('POST', scene.messages, { form: formOf({ content: 'x' }, file) });
  };

  it('fails writes with 503, allows reads, and is reported at /readyz', async () => {
    await scene.send();
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
    const sent = await scene.bot.post(scene.messages, { content: 'x'.repeat(2_000) });
    expect([sent.status, sent.body.code]).toEqual([503, 130000]);
    const uploaded = await upload();
    expect([uploaded.status, uploaded.body.code]).toEqual([503, 130000]);
    expect((await scene.bot.get(scene.messages)).status).toBe(200);
    expect(await readinessOf(server.origin)).toEqual([200, { status: 'ok', degraded: ['disk'] }]);
    rmSync(filler);
    expect((await upload()).status).toBe(200);
  });
});
