import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { noPostgres } from './interleave.js';
import { freePort } from './ports.js';

const PROGRAM = '/usr/sbin/pgbouncer';

/** The reason why pgbouncer cannot run, or null. */
export function missingForPgbouncer(): string | null {
  return noPostgres ?? (existsSync(PROGRAM) ? null : `needs ${PROGRAM}`);
}

export interface Pgbouncer {
  /** The same database, through pgbouncer. */
  url: string;
  stop(): Promise<void>;
}

/** The user for pgbouncer if this process is root, since pgbouncer refuses root. */
const NOBODY = 65_534;

/** Starts pgbouncer in front of `database`, with `size` connections to it. */
export async function startPgbouncer(
  database: string,
  size: number,
  mode: 'transaction' | 'statement' = 'transaction',
): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-pgbouncer-'));
  await chmod(folder, 0o755);
  const { hostname, port, username } = new URL(database);
  const listenPort = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  await writeFile(
    config,
    [
      '[databases]',
      `* = host=${hostname} port=${port || 5432} user=${username}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${mode}`,
      `default_pool_size = ${size}`,
      'max_client_conn = 500',
    ].join('\n'),
  );
  const child = spawn(PROGRAM, [config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  await untilUp(child);
  const url = new URL(database);
  url.host = `127.0.0.1:${listenPort}`;
  return {
    url: url.toString(),
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilUp(child: ChildProcess): Promise<void> {
  if (!child.stderr) throw new Error('the process has no output');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (line.includes('process up')) {
      child.stderr.resume();
      return;
    }
  }
  throw new Error(`pgbouncer did not start: ${lines.join('\n')}`);
}
