import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import pg from 'pg';
import { type MeasuredServer, startPlatform } from '../processes.js';
import { atEnd } from '../scratch.js';
import { type Balancer, startBalancer } from './balancer.js';

const THIS_MACHINE = new Set(['localhost', '127.0.0.1', '[::1]', '']);

/**
 * The processes of a drill behind a balancer: two on a database of their own, if `DATABASE_URL` and `REDIS_URL` name
 * servers on this machine, otherwise one on SQLite.
 */
export class Fleet {
  readonly #processes: MeasuredServer[] = [];
  #dataDir = '';
  #balancer: Balancer | null = null;
  /** When the last process that started was ready, from `performance.now()`. */
  lastReadyAt = 0;

  private constructor(
    readonly settings: NodeJS.ProcessEnv,
    private readonly ports: readonly number[],
  ) {}

  static async prepare(): Promise<Fleet> {
    const { DATABASE_URL, REDIS_URL } = process.env;
    if (!DATABASE_URL || !REDIS_URL) return new Fleet({}, await freePorts(1));
    for (const url of [DATABASE_URL, REDIS_URL]) requireThisMachine(url);
    const shared = { REDIS_URL, REDIS_PREFIX: `drill-${randomBytes(4).toString('hex')}:`, SHARED_DATA_DIR: 'on' };
    return new Fleet({ ...shared, DATABASE_URL: await createDatabase(DATABASE_URL) }, await freePorts(2));
  }

  get size(): number {
    return this.ports.length;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#balancer?.port}`;
  }

  get gatewayUrl(): string {
    return `${this.origin.replace('http', 'ws')}/gateway`;
  }

  async start(dataDir: string): Promise<void> {
    this.#dataDir = dataDir;
    const balancer = await startBalancer(this.ports);
    this.#balancer = balancer;
    atEnd(async () => balancer.close());
    for (const index of this.ports.keys()) await this.#start(index);
    await balancer.allReady();
  }

  async restart(index: number): Promise<void> {
    await this.#processes[index]?.stop();
    await this.#start(index);
    await this.#balancer?.allReady();
  }

  /** Starts it again only if it is the only one. */
  async kill(index: number): Promise<void> {
    await this.#processes[index]?.kill();
    if (this.size === 1) await this.#start(index);
  }

  async #start(index: number): Promise<void> {
    this.#processes[index] = await startPlatform(null, {
      ...this.settings,
      DATA_DIR: this.#dataDir,
      PORT: String(this.ports[index]),
      PUBLIC_URL: this.origin,
      DRAIN_DELAY_MS: '1000',
      RATE_LIMITS: 'on',
      LOG_LEVEL: 'info',
      TRUST_PROXY: undefined,
    });
    this.lastReadyAt = performance.now();
  }
}

function requireThisMachine(url: string): void {
  const { hostname } = new URL(url);
  if (!THIS_MACHINE.has(hostname)) throw new Error(`A drill uses servers on this machine only, not ${hostname}.`);
}

async function createDatabase(serverUrl: string): Promise<string> {
  const name = `causeway_drill_${randomBytes(4).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await run(serverUrl, `CREATE DATABASE ${name}`);
  atEnd(() => run(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return url.href;
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.flatMap((server) => {
    const address = server.address();
    return address !== null && typeof address === 'object' ? [address.port] : [];
  });
  for (const server of servers) server.close();
  return ports;
}
