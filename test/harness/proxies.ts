import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './ports.js';
import type { TestServer } from './server.js';
import { until } from './until.js';

interface Program {
  file: string;
  /** The file of the example with this port, and with paths in this folder. */
  adapt(shipped: string, port: number, folder: string): string;
  args(file: string, folder: string): string[];
}

const PROGRAMS = {
  nginx: {
    file: 'nginx.conf',
    adapt: (shipped, port, folder) =>
      shipped
        .replace('listen 8080;', `listen 127.0.0.1:${port};`)
        .replace(
          /^http \{$/m,
          [
            'http {',
            'access_log off;',
            ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
              (name) => `${name}_temp_path ${folder}/${name};`,
            ),
          ].join('\n'),
        ),
    args: (file, folder) => [
      ...['-p', folder, '-e', 'stderr', '-c', file, '-g'],
      `daemon off; pid ${folder}/pid;${process.getuid?.() === 0 ? ' user root;' : ''}`,
    ],
  },
  caddy: {
    file: 'Caddyfile',
    adapt: (shipped, port) => `{\n\tadmin off\n}\n${shipped.replace(':8080 {', `:${port} {\n\tbind 127.0.0.1`)}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  haproxy: {
    file: 'haproxy.cfg',
    adapt: (shipped, port) => shipped.replace(/bind :8080$/m, `bind 127.0.0.1:${port}`),
    args: (file) => ['-db', '-f', file],
  },
} satisfies Record<string, Program>;

export type ProxyName = keyof typeof PROGRAMS;

const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'];

const pathOf = (name: ProxyName) => FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));

/** The reason why a proxy cannot run, or null. */
export function missingProxy(name: ProxyName): string | null {
  return pathOf(name) ? null : `no ${name} in ${FOLDERS.join(', ')}`;
}

export interface RunningProxy {
  origin: string;
  stop(): Promise<void>;
}

/**
 * Starts a proxy in front of the server, configured as in the example, on a free port and in a temporary folder.
 * @param server need not run yet
 * @param change of the example
 */
export async function startProxy(
  name: ProxyName,
  server: Pick<TestServer, 'origin'>,
  change: (example: string) => string = (example) => example,
): Promise<RunningProxy> {
  const program: Program = PROGRAMS[name];
  const target = `127.0.0.1:${new URL(server.origin).port}`;
  return launch(name, program.file, await freePort(), (shipped, port, folder) =>
    // First of all, since a free port can itself begin with 4000.
    program.adapt(change(shipped).replaceAll('127.0.0.1:4000', target), port, folder),
  );
}

export interface ProxyOfTwo extends RunningProxy {
  /** Sends a command to HAProxy's Runtime API. */
  command(command: string): Promise<string>;
  /** Waits until HAProxy sends requests to these processes, in all of its backends. */
  untilUp(...names: ('first' | 'second')[]): Promise<void>;
}

/** Columns of `show stat` (HAProxy's management guide, section 9.1). */
const STATISTICS = { server: 1, status: 17 };

/**
 * Starts HAProxy in front of two processes, which need not run yet.
 * @param more sections after those of the example; 4001 and 4002 are the ports of the processes there, too
 */
export async function startProxyOfTwo(first: number, second: number, more = ''): Promise<ProxyOfTwo> {
  const targets = new Map([
    ['4001', first],
    ['4002', second],
  ]);
  const sockets = await mkdtemp(join(tmpdir(), 'causeway-haproxy-'));
  const api = join(sockets, 'api');
  const proxy = await launch('haproxy', 'haproxy-several.cfg', await freePort(), (shipped, port) =>
    `${shipped}${more}`
      .replace(/^global$/m, `global\n    stats socket ${api} level admin`)
      .replace(/bind :8080$/m, `bind 127.0.0.1:${port}`)
      // In one go: a free port can itself begin with 4001.
      .replace(/127\.0\.0\.1:(400\d)\b/g, (_, shippedPort: string) => `127.0.0.1:${targets.get(shippedPort)}`),
  );
  const command = async (line: string) => {
    const socket = connect(api);
    socket.end(`${line}\n`);
    return text(socket);
  };
  return {
    ...proxy,
    command,
    async untilUp(...names) {
      await until(async () => {
        const rows = (await command('show stat')).split('\n').map((row) => row.split(','));
        const servers = rows.filter((row) => names.some((name) => name === row[STATISTICS.server]));
        return servers.length >= names.length && servers.every((row) => row[STATISTICS.status]?.startsWith('UP'));
      });
    },
    async stop() {
      await proxy.stop();
      await rm(sockets, { recursive: true, force: true });
    },
  };
}

async function launch(name: ProxyName, example: string, port: number, adapt: Program['adapt']): Promise<RunningProxy> {
  const program: Program = PROGRAMS[name];
  const folder = await mkdtemp(join(tmpdir(), `causeway-${name}-`));
  const shipped = await readFile(join(import.meta.dirname, '../../examples/proxies', example), 'utf8');
  const file = join(folder, example);
  await writeFile(file, adapt(shipped, port, folder));
  const child = spawn(pathOf(name) ?? name, program.args(file, folder), {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  try {
    await listening(child, port, () => said);
  } catch (error) {
    child.kill('SIGTERM');
    throw error;
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      const exited = once(child, 'exit');
      // Not SIGKILL, which would leave workers behind.
      if (child.exitCode === null && child.kill('SIGTERM')) await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The programs have no common way to report that they listen, so this tries to connect. */
async function listening(child: ChildProcess, port: number, said: () => string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) break;
    if (await answers(port)) return;
    await setTimeout(50);
  }
  throw new Error(`the proxy does not listen (${child.exitCode}): ${said()}`);
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
