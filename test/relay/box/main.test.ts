import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it, vi } from 'vitest';
import { emptyFolder } from '../../harness/box.js';
import { startServer } from '../../harness/server.js';

const MAIN = join(import.meta.dirname, '../../../dist/main.js');

vi.setConfig({ testTimeout: 60_000 });

let child: ChildProcess | undefined;
let folder: string | undefined;
afterEach(async () => {
  child?.kill('SIGKILL');
  if (folder) await rm(folder, { recursive: true, force: true });
});

it('waits for its cloud at the first start, tries again and again, and ends at a signal', async () => {
  folder = await emptyFolder();
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    DATA_DIR: folder,
    CLOUD_URL: 'http://127.0.0.1:9',
    BOX_TOKEN: 'cwbox_some',
  };
  child = spawn(process.execPath, [MAIN, 'box'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let tries = 0;
  if (!child.stdout) throw new Error('the process has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('next try in')) tries += 1;
    if (tries === 2) child.kill('SIGTERM');
  }
  expect(tries).toBeGreaterThanOrEqual(2);
  expect(await exit).toEqual([0, null]);
});

it('R-6: ends with 78 where its cloud refuses it, and says what to do', async () => {
  folder = await emptyFolder();
  const cloud = await startServer();
  try {
    const env = {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: folder,
      CLOUD_URL: cloud.origin,
      BOX_TOKEN: 'cwbox_none',
    };
    child = spawn(process.execPath, [MAIN, 'box'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (piece: Buffer) => {
      said += piece;
    });
    expect(await once(child, 'close')).toEqual([78, null]);
    expect(said).toMatch(/^causeway: http\S+: the token of BOX_TOKEN is used up, expired or unknown: make another/);
  } finally {
    await cloud.stop();
  }
});
