import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { GatewayClient } from '../harness/gateway-client.js';
import { freePort } from '../harness/ports.js';
import { missingProxy, type ProxyOfTwo, startProxyOfTwo } from '../harness/proxies.js';
import { missingForSeveralProcesses, REDIS_URL } from '../harness/redis.js';
import { openScene, RestBot, type Scene } from '../harness/rest.js';
import { migratedDatabase, startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

const missing = (await missingForSeveralProcesses()) ?? missingProxy('haproxy');

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.skipIf(missing)(needing(missing, 'two processes behind HAProxy, configured like the example'), () => {
  let database: Awaited<ReturnType<typeof migratedDatabase>>;
  let folder: string;
  let servers: TestServer[];
  let proxy: ProxyOfTwo;
  let scene: Scene;

  beforeAll(async () => {
    database = await migratedDatabase();
    folder = await mkdtemp(join(tmpdir(), 'causeway-several-'));
    const ports = [await freePort(), await freePort()] as const;
    proxy = await startProxyOfTwo(...ports);
    servers = await Promise.all(ports.map(start));
    await proxy.untilUp('first', 'second');
    scene = await openScene(servers[0] as TestServer);
  });
  afterAll(async () => {
    await proxy?.stop();
    await Promise.all((servers ?? []).map((server) => server.stop()));
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (port: number) =>
    startServer({
      env: {
        DATABASE_URL: database?.url ?? '',
        REDIS_URL,
        DATA_DIR: folder,
        SHARED_DATA_DIR: 'on',
        TRUST_PROXY: 'loopback',
        DRAIN_DELAY_MS: '1500',
        PORT: String(port),
        PUBLIC_URL: proxy.origin,
      },
    });
  const bot = () => new RestBot(proxy, scene.bot.bot);

  it('both have sessions of bots at one address', async () => {
    const { url } = (await bot().get('/gateway/bot')).body;
    expect(url).toBe(`${proxy.origin.replace('http', 'ws')}/gateway`);
    const holders = async () => {
      const presences = await scene.server.app.db.reader.presence.findMany({ where: { userId: scene.bot.bot.id } });
      return new Set(presences.map(({ processId }) => processId));
    };
    const clients: GatewayClient[] = [];
    while ((await holders()).size < servers.length) {
      const client = await GatewayClient.open(proxy.origin);
      expect((await client.ready(scene.bot.bot.token)).d.resume_gateway_url).toBe(url);
      clients.push(client);
    }
    await Promise.all(clients.map((client) => client.close()));
  });

  it('no request fails while one of them stops, and no message is stored twice', async () => {
    let isStopped = false;
    const statuses = new Map<number, number>();
    const send = async () => {
      do {
        const { status } = await bot().post(scene.messages, { content: 'on and on' });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      } while (!isStopped);
    };
    const senders = [send(), send(), send(), send()];
    await servers[1]?.stop().finally(() => {
      isStopped = true;
    });
    await Promise.all(senders);
    const stored = await scene.server.app.db.reader.message.count({ where: { content: 'on and on' } });
    expect([...statuses]).toEqual([[200, stored]]);
  });
});
