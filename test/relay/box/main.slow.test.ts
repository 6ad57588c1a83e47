import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { emptyFolder } from '../../harness/box.js';
import { migratedDatabase, startServer } from '../../harness/server.js';

const MAIN = join(import.meta.dirname, '../../../dist/main.js');

vi.setConfig({ testTimeout: 120_000 });

let child: ChildProcess | undefined;
let folder: string;
let database: Awaited<ReturnType<typeof migratedDatabase>>;
beforeEach(async () => {
  folder = await emptyFolder();
  database = await migratedDatabase();
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const place = () => ({ DATA_DIR: folder, ...(database ? { DATABASE_URL: database.url } : {}) });

it('a box waits for its cloud at the first start, keeps trying, and ends at a signal', async () => {
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    ...place(),
    CLOUD_URL: 'http://127.0.0.1:9',
    BOX_TOKEN: 'cwbox_some',
  };
  child = spawn(process.execPath, [MAIN, 'box'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let tries = 0;
  if (!child.stdout) throw new Error('the process has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('retrying in')) tries += 1;
    if (tries === 2) child.kill('SIGTERM');
  }
  expect(tries).toBeGreaterThanOrEqual(2);
  expect(await exit).toEqual([0, null]);
});

it('R-6: a box exits with 78 if its cloud refuses it, and logs what to do', async () => {
  const cloud = await startServer();
  try {
    const env = {
      PATH: process.env.PATH,
      PORT: '0',
      ...place(),
      CLOUD_URL: cloud.origin,
      BOX_TOKEN: 'cwbox_none',
    };
    child = spawn(process.execPath, [MAIN, 'box'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (piece: Buffer) => {
      said += piece;
    });
    expect(await once(child, 'close')).toEqual([78, null]);
    expect(said).toMatch(/^causeway: http\S+: the token in BOX_TOKEN is used, expired or unknown: create another/);
  } finally {
    await cloud.stop();
  }
});
