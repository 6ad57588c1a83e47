import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI, resultOf } from '../harness/cli.js';
import { noDiscordPy, PYTHON } from '../harness/discord-py.js';
import { needing } from '../harness/skipping.js';

const noPytest =
  spawnSync(PYTHON, ['-m', 'pytest', '--version']).status === 0 ? null : `${PYTHON} has no module pytest`;
const missing = noDiscordPy ?? noPytest;

describe.skipIf(missing)(needing(missing, 'the test kit for Python'), () => {
  it('runs the tests of a discord.py bot in a sandbox', async () => {
    const tests = [PYTHON, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(import.meta.dirname, 'python')];
    const child = spawn(process.execPath, [CLI, 'sandbox', '--', ...tests], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const { code, stdout } = await resultOf(child);
    expect(stdout).toContain('10 passed');
    expect(code).toBe(0);
  }, 60_000);
});
