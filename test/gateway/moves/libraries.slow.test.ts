import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../harness/ports.js';
import { bindSocket, type RunningInstance, startInstance } from '../../harness/process.js';
import { missingProxy, type ProxyOfTwo, startProxyOfTwo } from '../../harness/proxies.js';
import { missingForSeveralProcesses, REDIS_URL } from '../../harness/redis.js';
import { ask } from '../../harness/rest.js';
import { migratedDatabase, migratedFolder, startServer, type TestServer } from '../../harness/server.js';
import { needing } from '../../harness/skipping.js';
import { until } from '../../harness/until.js';
import { addMember, createBot, createGuild, say, type TestBot, type TestGuild } from '../../harness/world.js';
import { LIBRARY_NAMES, type LibraryBot, startLibraryBot } from './library-bots.js';

const missing = (await missingForSeveralProcesses()) ?? missingProxy('haproxy');

// The libraries wait for seconds before they reconnect.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

type Name = 'first' | 'second';

const NAMES = ['first', 'second'] as const;

/** Two processes behind HAProxy, and a bot of each library. */
class Fleet {
  readonly #bots: (LibraryBot & TestBot)[] = [];
  #database!: Awaited<ReturnType<typeof migratedDatabase>>;
  #folder!: string;
  #ports!: Record<Name, number>;
  #gateways: Record<Name, number> | null = null;
  #proxy!: ProxyOfTwo;
  /** A child process. */
  #first!: RunningInstance;
  /** Runs in this process, and does not stop before the test ends. */
  #second!: TestServer;
  #guild!: TestGuild;

  /** @param haveOwnGateways whether each process has a gateway address of its own */
  async start({ haveOwnGateways }: { haveOwnGateways: boolean }): Promise<void> {
    this.#database = await migratedDatabase();
    this.#folder = await mkdtemp(join(tmpdir(), 'causeway-fleet-'));
    this.#ports = { first: await freePort(), second: await freePort() };
    if (haveOwnGateways) this.#gateways = { first: await freePort(), second: await freePort() };
    const { first, second } = this.#ports;
    this.#proxy = await startProxyOfTwo(first, second, this.#gateways ? ownGateways(this.#gateways) : '');
    this.#second = await startServer({ env: this.#env('second') });
    this.#guild = await createGuild(this.#second.app);
    await this.startFirst();
    for (const library of LIBRARY_NAMES) await this.#startBot(library);
    await this.allSee('READY');
    await this.areAt('first');
  }

  /** Starts the first process, and leads connections to it only. */
  async startFirst(): Promise<void> {
    this.#first = await startInstance(this.#env('first'));
    await this.leadTo('first');
  }

  async stop(): Promise<void> {
    await Promise.all(this.#bots.map(({ stop }) => stop()));
    await this.endFirst('SIGKILL');
    await this.#second?.stop();
    await this.#proxy?.stop();
    await this.#database?.drop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  endFirst(signal: NodeJS.Signals): Promise<unknown> {
    return this.#first?.end(signal);
  }

  /** Leads new connections to these processes. */
  async leadTo(...names: Name[]): Promise<void> {
    for (const name of NAMES) {
      const state = names.includes(name) ? 'ready' : 'maint';
      await this.#proxy.command(`set server causeway/${name} state ${state}`);
    }
    await this.#proxy.untilUp(...names);
  }

  async cutConnections(): Promise<void> {
    for (const name of NAMES) await this.#proxy.command(`shutdown sessions server causeway/${name}`);
  }

  /** Waits until all bots are connected to this process. */
  async areAt(name: Name): Promise<void> {
    const { db, live } = this.#second.app;
    const userId = { in: this.#bots.map(({ id }) => id) };
    const processId = name === 'second' ? live.id : { not: live.id };
    await until(
      async () => (await db.reader.presence.count({ where: { userId, processId } })) === LIBRARY_NAMES.length,
    );
  }

  /**
   * Waits until each bot has seen one of these.
   * @returns how long it took from now, in seconds
   */
  async allSee(...what: string[]): Promise<Record<string, string>> {
    const start = performance.now();
    const took = this.#bots.map(async ({ library, seen }) => {
      await until(() => seen.some((one) => what.includes(one)));
      return [library, ((performance.now() - start) / 1_000).toFixed(1)];
    });
    return Object.fromEntries(await Promise.all(took));
  }

  async say(content: string): Promise<void> {
    await say(this.#second.app, this.#guild, this.#guild.owner, content);
  }

  /** Expects that all bots resume, and miss none of the messages that are sent during this. */
  async allResumeAfter(happens: () => Promise<unknown>): Promise<void> {
    const sent: string[] = [];
    let isOver = false;
    const talk = async () => {
      while (!isOver) {
        const content = `message ${sent.push(`message ${sent.length}`) - 1}`;
        await this.say(content);
        await setTimeout(10);
      }
    };
    this.forget();
    const talking = talk();
    await happens();
    await this.allSee('RESUMED', 'READY');
    isOver = true;
    await talking;
    await this.allSee(sent.at(-1) ?? '');
    const heard = this.#bots.map(({ library, seen }) => [library, seen.filter((what) => what !== 'RESUMED')]);
    expect(heard).toEqual(LIBRARY_NAMES.map((library) => [library, sent]));
  }

  forget(): void {
    for (const { seen } of this.#bots) seen.length = 0;
  }

  async #startBot(library: string): Promise<void> {
    const { app } = this.#second;
    const bot = await createBot(app);
    await addMember(app, this.#guild.id, bot.user);
    const { origin } = this.#proxy;
    const gateway = `${this.#gatewayOf('first') ?? origin.replace('http', 'ws')}/gateway`;
    this.#bots.push({ ...bot, ...(await startLibraryBot(library, { origin, gateway, token: bot.token })) });
  }

  #gatewayOf(name: Name): string | null {
    return this.#gateways && `ws://127.0.0.1:${this.#gateways[name]}`;
  }

  #env(name: Name): Record<string, string> {
    const gateway = this.#gatewayOf(name);
    return {
      DATABASE_URL: this.#database?.url ?? '',
      REDIS_URL,
      DATA_DIR: this.#folder,
      TRUST_PROXY: 'loopback',
      DRAIN_DELAY_MS: '1500',
      PORT: String(this.#ports[name]),
      PUBLIC_URL: this.#proxy.origin,
      ...(gateway ? { GATEWAY_PUBLIC_URL: gateway } : {}),
    };
  }
}

/** Gives each process an address of its own, where the other one takes over. */
function ownGateways(ports: { first: number; second: number }): string {
  return `
frontend gateway_of_first
    bind 127.0.0.1:${ports.first}
    default_backend gateway_of_first

frontend gateway_of_second
    bind 127.0.0.1:${ports.second}
    default_backend gateway_of_second

backend gateway_of_first
    server first 127.0.0.1:4001
    server second 127.0.0.1:4002 backup

backend gateway_of_second
    server second 127.0.0.1:4002
    server first 127.0.0.1:4001 backup
`;
}

describe.skipIf(missing)(needing(missing, 'unmodified libraries behind one address'), () => {
  const fleet = new Fleet();

  beforeAll(() => fleet.start({ haveOwnGateways: false }));
  afterAll(() => fleet.stop());

  it('resume at any process after their connections were cut', async () => {
    await fleet.leadTo('first', 'second');
    await fleet.allResumeAfter(() => fleet.cutConnections());
    // They also return to a process that they have just left.
    for (const name of ['second', 'first', 'second', 'first'] as const) {
      await fleet.leadTo(name);
      await fleet.allResumeAfter(() => fleet.cutConnections());
      await fleet.areAt(name);
    }
  });

  it('resume at the other process when theirs stops', async () => {
    await fleet.leadTo('first', 'second');
    await fleet.allResumeAfter(() => fleet.endFirst('SIGTERM'));
    await fleet.areAt('second');
  });

  it('identify at the other process within seconds when theirs is killed', async () => {
    await fleet.startFirst();
    await fleet.allResumeAfter(() => fleet.cutConnections());
    await fleet.areAt('first');
    await fleet.leadTo('first', 'second');
    fleet.forget();
    await fleet.endFirst('SIGKILL');
    const took = await fleet.allSee('READY');
    process.stdout.write(`seconds until READY after a kill: ${JSON.stringify(took)}\n`);
    for (const seconds of Object.values(took)) expect(Number(seconds)).toBeLessThan(15);
    await fleet.say('back');
    await fleet.allSee('back');
  });
});

describe.skipIf(missing)(needing(missing, 'unmodified libraries where each process has its own address'), () => {
  const fleet = new Fleet();

  beforeAll(() => fleet.start({ haveOwnGateways: true }));
  afterAll(() => fleet.stop());

  it('resume at the other process when theirs stops', async () => {
    await fleet.leadTo('first', 'second');
    await fleet.allResumeAfter(() => fleet.endFirst('SIGTERM'));
    await fleet.areAt('second');
  });
});

describe('unmodified libraries at the only process', () => {
  it('resume within 15 s after a restart during which its socket stays open', async () => {
    const [database, folder] = [await migratedDatabase(), await migratedFolder()];
    const env = { DATA_DIR: folder, ...(database ? { DATABASE_URL: database.url } : {}) };
    const seed = await startServer({ env });
    const guild = await createGuild(seed.app);
    const owners: TestBot[] = [];
    for (const _library of LIBRARY_NAMES) owners.push(await createBot(seed.app));
    for (const { user } of owners) await addMember(seed.app, guild.id, user);
    await seed.stop();

    const socket = bindSocket();
    const start = () => startInstance(env, undefined, undefined, socket.fd);
    const first = await start();
    const { origin } = first;
    const gateway = `${origin.replace('http', 'ws')}/gateway`;
    const bots: LibraryBot[] = [];
    for (const [index, library] of LIBRARY_NAMES.entries()) {
      bots.push(await startLibraryBot(library, { origin, gateway, token: owners[index]?.token ?? '' }));
    }
    const path = `/channels/${guild.channel.id}/messages`;
    const headers = { authorization: `Bot ${owners[0]?.token}` };
    const send = (content: string) => ask(first, 'POST', path, { json: { content }, headers });
    const allSee = (what: string) => until(() => bots.every(({ seen }) => seen.includes(what)));
    await allSee('READY');
    await send('before');
    await allSee('before');
    for (const { seen } of bots) seen.length = 0;
    expect(await first.end('SIGTERM')).toBe(0);
    await setTimeout(3_000);
    const second = await start();
    const readyAt = performance.now();
    await send('after');
    await allSee('after');
    expect(bots.map(({ library, seen }) => [library, seen.toSorted()])).toEqual(
      LIBRARY_NAMES.map((library) => [library, ['RESUMED', 'after']]),
    );
    expect(performance.now() - readyAt).toBeLessThan(15_000);
    await Promise.all(bots.map(({ stop }) => stop()));
    await second.end('SIGTERM');
    socket.close();
    await database?.drop();
  });
});
