import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readinessOf } from './harness/readiness.js';
import { formOf, openScene, type Scene } from './harness/rest.js';
import { startServer, type TestServer } from './harness/server.js';
import { needing, noSqlite } from './harness/skipping.js';
import { missingForMount, mountSmallDisk, type SmallDisk } from './harness/small-disk.js';

const missing = noSqlite ?? missingForMount();

describe.skipIf(missing)(needing(missing, 'a full disk'), () => {
  let server: TestServer;
  let scene: Scene;
  let disk: SmallDisk;

  beforeAll(async () => {
    disk = mountSmallDisk();
    server = await startServer({ env: { DATA_DIR: disk.folder, DATABASE_URL: '' } });
    scene = await openScene(server);
  });
  afterAll(async () => {
    await server?.stop();
    disk?.remove();
  });

  const upload = () => {
    const file = { name: 'files[0]', content: Buffer.alloc(256 * 1024), filename: 'a.bin' };
    return scene.bot.ask('POST', scene.messages, { form: formOf({ content: 'x' }, file) });
  };

  it('fails writes with 503, allows reads, and is reported at /readyz', async () => {
    await scene.send();
    disk.fill();
    const sent = await scene.bot.post(scene.messages, { content: 'x'.repeat(2_000) });
    expect([sent.status, sent.body.code]).toEqual([503, 130000]);
    const uploaded = await upload();
    expect([uploaded.status, uploaded.body.code]).toEqual([503, 130000]);
    expect((await scene.bot.get(scene.messages)).status).toBe(200);
    expect(await readinessOf(server.origin)).toEqual([200, { status: 'ok', degraded: ['disk'] }]);
    disk.empty();
    expect((await upload()).status).toBe(200);
  });
});
