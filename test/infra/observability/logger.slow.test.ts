import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needing, noSqlite } from '../../harness/skipping.js';

const MAIN = join(import.meta.dirname, '../../../dist/main.js');
const CTRL_C = '\u0003';

const missing = noSqlite ?? (spawnSync('script', ['--version']).error ? 'needs the program script' : null);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-logger-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.skipIf(missing)(needing(missing, 'a terminal gets the log as text, to its last line'), async () => {
  const terminal = spawn('script', ['-qec', `exec ${process.execPath} ${MAIN}`, '/dev/null'], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', TERM: 'xterm', SHELL: '/bin/sh' },
  });
  let shown = '';
  let isStopped = false;
  terminal.stdout.on('data', (text) => {
    shown += text;
    if (isStopped || !shown.includes('ready at')) return;
    isStopped = true;
    terminal.stdin.write(CTRL_C);
  });
  await once(terminal, 'close');
  expect(shown).toMatch(/INFO.*: .*ready at http:/);
  expect(shown).toMatch(/INFO.*: .*stopped/);
  expect(shown).not.toContain('{"level"');
});
