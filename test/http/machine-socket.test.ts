import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFromMachine, MachineSocket } from '../../src/http/machine-socket.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-socket-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Answers with the name, and whether the request is the machine's. */
function socketOf(name: string, dataDir = folder, lines: string[] = []): MachineSocket {
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const routing: ConstructorParameters<typeof MachineSocket>[0]['routing'] = (incoming, response) => {
    response.end(`${name} ${isFromMachine(incoming)}`);
  };
  return new MachineSocket({ routing }, { dataDir, log });
}

const ask = (method: string, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ socketPath: join(folder, 'admin.sock'), method, path, agent: false }, (response) =>
      resolve(text(response)),
    )
      .once('error', reject)
      .end();
  });

describe('the socket of the machine', () => {
  it('belongs to the newest process of a data folder, and stays when an older one ends', async () => {
    const [older, newer] = [socketOf('older'), socketOf('newer')];
    await older.open();
    expect(await ask('POST', '/graphql')).toBe('older true');
    await newer.open();
    expect(await ask('POST', '/graphql')).toBe('newer true');
    await older.close();
    expect(await ask('POST', '/graphql')).toBe('newer true');
    await newer.close();
    await expect(lstat(join(folder, 'admin.sock'))).rejects.toThrow('ENOENT');
  });

  it('serves files, but not as the machine', async () => {
    const socket = socketOf('one');
    await socket.open();
    expect(await ask('GET', '/cdn/exports/1')).toBe('one false');
    expect(await ask('GET', '/graphql')).toBe('');
    await socket.close();
  });

  it('is left out with a warning if the path is too long', async () => {
    const lines: string[] = [];
    const socket = socketOf('one', join(folder, 'x'.repeat(100)), lines);
    await socket.open();
    expect(lines.join('')).toContain('the path of DATA_DIR is too long');
    await socket.close();
  });
});
