import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needing, noSqlite } from '../harness/skipping.js';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/dev.ts');

describe.skipIf(noSqlite)(needing(noSqlite, 'the platform in development'), () => {
  let dataDir: string;
  let running: ChildProcess | undefined;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-dev-test-'));
  });
  afterEach(async () => {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function start() {
    const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
    const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running = child;
    let output = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      output += text;
      const [, origin, email, password, token] =
        /GraphiQL +(\S+)\/graphql\n +sign in +(\S+), password (\S+)\n +session +Authorization: Bearer (\S+)\n/.exec(
          output,
        ) ?? [];
      if (origin && email && password && token) return { origin, email, password, token };
    }
    throw new Error(`it ended: ${output}`);
  }

  async function stop(): Promise<void> {
    if (!running || running.exitCode !== null) return;
    const exit = once(running, 'exit');
    running.kill('SIGTERM');
    await exit;
  }

  it('has a signed-in user, who still exists after a restart with the same data', async () => {
    const first = await start();
    await stop();
    const { origin, email, password, token } = await start();
    expect([email, password]).toEqual([first.email, first.password]);
    const asked = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"query":"{ me { username } }"}',
    });
    expect(await asked.json()).toEqual({ data: { me: { username: 'dev' } } });
    const signedIn = await fetch(`${origin}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(signedIn.status).toBe(200);
    // The source is compiled twice.
  }, 90_000);
});
