import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Front, openFront } from '../../../harness/front.js';
import { type Line, layLine } from '../../../harness/line.js';
import { freePort } from '../../../harness/ports.js';
import { layRedisLine } from '../../../harness/redis.js';
import { migratedDatabase, startServer, type TestServer } from '../../../harness/server.js';

/** Nothing listens here. */
const NOWHERE = 'http://localhost:1';

interface Running {
  server: TestServer;
  redis: Line;
  database: Line;
}

/** A machine with one address, on which a process starts and ends. */
export class Host {
  #running: Running | null = null;
  readonly #killed: Running[] = [];
  readonly #ending: Promise<unknown>[] = [];

  constructor(
    private readonly front: Front,
    private readonly env: Record<string, string>,
  ) {}

  get origin(): string {
    return this.front.origin;
  }

  get server(): TestServer | null {
    return this.#running?.server ?? null;
  }

  async start(): Promise<void> {
    const redis = await layRedisLine();
    const database = await layLine(this.env.DATABASE_URL ?? '', 5432);
    const port = String(await freePort());
    const env = { ...this.env, PORT: port, REDIS_URL: redis.url, DATABASE_URL: database.url };
    const server = await startServer({ env });
    this.#running = { server, redis, database };
    this.front.leadTo(`http://localhost:${port}`);
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    await running.server.stop();
    this.#running = null;
    for (const line of [running.redis, running.database]) line.close();
  }

  /** Nothing leaves the process from here on, as if it was killed. */
  kill(): void {
    const running = this.#running;
    if (!running) return;
    this.#running = null;
    this.front.leadTo(NOWHERE);
    for (const line of [running.redis, running.database, this.front]) line.cut();
    this.#killed.push(running);
  }

  /** Ends the processes that were killed, which by now can change nothing that matters. */
  bury(): void {
    for (const { server, database } of this.#killed.splice(0)) {
      database.mend();
      this.#ending.push(
        server
          .stop()
          .catch(() => {})
          .then(() => database.close()),
      );
    }
  }

  cutRedis(): void {
    this.#running?.redis.cut();
  }

  mendRedis(): void {
    this.#running?.redis.mend();
  }

  async close(): Promise<void> {
    this.bury();
    await this.stop();
    await Promise.all(this.#ending);
    this.front.close();
  }
}

/** Two processes with one database, and a load balancer in front of them. */
export interface Hosts {
  both: readonly [Host, Host];
  front: Front;
  close(): Promise<void>;
}

export async function openHosts(): Promise<Hosts> {
  const database = await migratedDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-histories-'));
  const front = await openFront();
  const env = {
    DATABASE_URL: database?.url ?? '',
    DATA_DIR: dataDir,
    PUBLIC_URL: front.origin,
  };
  const both = [new Host(await openFront(), env), new Host(await openFront(), env)] as const;
  await Promise.all(both.map((host) => host.start()));
  front.leadTo(both[0].origin);
  return {
    both,
    front,
    async close() {
      await Promise.all(both.map((host) => host.close()));
      front.close();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
