import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bindSocket, startInstance } from '../harness/process.js';

test('a restart behind a systemd socket refuses no request', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-socket-'));
  const socket = bindSocket();
  const start = () => startInstance({ DATA_DIR: folder }, undefined, undefined, socket.fd);
  const first = await start();
  let isOver = false;
  const statuses: number[] = [];
  const ask = async () => {
    do {
      const { status } = await fetch(`${first.origin}/api/v10/gateway`);
      statuses.push(status);
    } while (!isOver);
  };
  const askers = [ask(), ask(), ask()];
  expect(await first.end('SIGTERM')).toBe(0);
  const second = await start();
  expect(second.origin).toBe(first.origin);
  expect((await fetch(`${second.origin}/api/v10/gateway`)).status).toBe(200);
  isOver = true;
  await Promise.all(askers);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await second.end('SIGTERM');
  socket.close();
  await rm(folder, { recursive: true, force: true });
});
