import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { GatewayClient } from '../harness/gateway-client.js';
import { freePort } from '../harness/ports.js';
import { type Behind, missingProxy, type RunningProxy, startProxyOfTwo } from '../harness/proxies.js';
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
  let proxy: RunningProxy;
  let scene: Scene;
  let gateways: string[];

  beforeAll(async () => {
    database = await migratedDatabase();
    folder = await mkdtemp(join(tmpdir(), 'causeway-several-'));
    const places: [Behind, Behind] = [await place(), await place()];
    gateways = places.map(({ gatewayPort }) => `ws://localhost:${gatewayPort}`);
    servers = await Promise.all(places.map(start));
    proxy = await startProxyOfTwo(...places);
    scene = await openScene(servers[0] as TestServer);
  });
  afterAll(async () => {
    await proxy?.stop();
    await Promise.all((servers ?? []).map((server) => server.stop()));
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const place = async () => ({ port: await freePort(), gatewayPort: await freePort() });
  const start = ({ port, gatewayPort }: Behind) =>
    startServer({
      env: {
        DATABASE_URL: database?.url ?? '',
        REDIS_URL,
        DATA_DIR: folder,
        SHARED_DATA_DIR: 'on',
        TRUST_PROXY: 'loopback',
        DRAIN_DELAY_MS: '1500',
        PORT: String(port),
        GATEWAY_PUBLIC_URL: `ws://localhost:${gatewayPort}`,
      },
    });
  const bot = () => new RestBot(proxy, scene.bot.bot);

  it('both receive requests, and each has a gateway address of its own', async () => {
    const told = new Set<string>();
    while (told.size < gateways.length) told.add((await bot().get('/gateway/bot')).body.url);
    expect(told).toEqual(new Set(gateways.map((origin) => `${origin}/gateway`)));
    for (const url of told) {
      const client = await GatewayClient.open(new URL(url).origin.replace('ws', 'http'));
      await client.op(10);
      expect((await client.ready(scene.bot.bot.token)).d.resume_gateway_url).toBe(url);
      await client.close();
    }
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
