import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGN_IN_PER_ADDRESS } from '../../src/domain/limits.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { createGuild, type MadeGuild, type Person, sendMessage, signUp } from '../harness/people.js';
import { freePort } from '../harness/ports.js';
import { missingProxy, type ProxyName, type RunningProxy, startProxy } from '../harness/proxies.js';
import { formOf, openScene, RestBot, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { socketClient, subscribe } from '../harness/sockets.js';

const MIB = 1024 * 1024;
const PROXIES: ProxyName[] = ['nginx', 'caddy', 'haproxy'];

describe.each(PROXIES)('behind a proxy', (name) => {
  const missing = missingProxy(name);

  describe.skipIf(missing)(needing(missing, `${name}, set up as the example is`), () => {
    let server: TestServer;
    let proxy: RunningProxy;
    let scene: Scene;
    let ada: Person;
    let guild: MadeGuild;
    const counted: { path: string; address: string }[] = [];
    beforeAll(async () => {
      server = await startServer({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'loopback' } });
      const find = server.app.clientAddress;
      server.app.clientAddress = (incoming: IncomingMessage) => {
        const address = find(incoming);
        counted.push({ path: incoming.url ?? '', address });
        return address;
      };
      proxy = await startProxy(name, server);
      scene = await openScene(server);
      ada = await signUp(proxy, 'ada');
      guild = await createGuild(ada);
    });
    afterAll(async () => {
      await proxy?.stop();
      await server?.stop();
    });

    const bot = () => new RestBot(proxy, scene.bot.bot);

    it('metrics are not reachable', async () => {
      expect((await fetch(`${proxy.origin}/metrics`)).status).toBe(404);
      expect((await fetch(`${server.origin}/metrics`)).status).toBe(200);
    });

    it('requests, bodies and responses pass', async () => {
      expect(await bot().get('/users/@me')).toMatchObject({ status: 200, body: { id: scene.bot.id } });
      const { status, body, headers } = await bot().post(scene.messages, { content: 'Grüße 👋' });
      expect([status, body.content, headers.get('x-ratelimit-remaining')]).toEqual([200, 'Grüße 👋', '4']);
      const reaction = `${scene.messages}/${body.id}/reactions/${encodeURIComponent('👋')}/%40me`;
      expect((await bot().put(reaction)).status).toBe(204);
      expect((await bot().get('/nowhere')).body).toEqual({ message: '404: Not Found', code: 0 });
    });

    /**
     * Returns the status only. The client may lose the rest of the response if it still sends when the connection
     * closes.
     */
    async function statusOf(form: FormData): Promise<number> {
      const answer = await fetch(`${proxy.origin}/api/v10${scene.messages}`, {
        method: 'POST',
        headers: { authorization: `Bot ${scene.bot.bot.token}` },
        body: form,
      });
      await answer.body?.cancel().catch(() => {});
      return answer.status;
    }

    it('an upload of 20 MiB passes; one of 30 MiB is refused', async () => {
      const file = (n: number) => ({ name: `files[${n}]`, filename: `${n}.bin`, content: new Uint8Array(10 * MIB) });
      const taken = await bot().ask('POST', scene.messages, { form: formOf({}, file(0), file(1)) });
      expect(taken.status).toBe(200);
      expect(taken.body.attachments.map(({ size }: { size: number }) => size)).toEqual([10 * MIB, 10 * MIB]);
      expect(await statusOf(formOf({}, file(0), file(1), file(2)))).toBe(413);
    });

    it('a bot connects to the gateway and receives events', async () => {
      const client = await GatewayClient.open(proxy.origin);
      await client.op(10);
      await client.ready(scene.bot.bot.token);
      await scene.bot.post(scene.messages, { content: 'heard' });
      expect((await client.event('MESSAGE_CREATE')).d.content).toBe('heard');
      await client.close();
    });

    it('a user receives events over a GraphQL socket and as server-sent events', async () => {
      const query = `subscription { channelEvents(channelId: "${guild.textChannelId}") { __typename } }`;
      const client = socketClient({ ...server, origin: proxy.origin }, { token: ada.token });
      const overSocket = await subscribe(client, query);
      const stream = await fetch(`${proxy.origin}/graphql?${new URLSearchParams({ query })}`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${ada.token}` },
      });
      expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
      await sendMessage(ada, guild.textChannelId, 'hello');
      expect((await overSocket.next()).data?.channelEvents).toBeDefined();
      let text = '';
      const decoder = new TextDecoder();
      const reader = stream.body?.getReader();
      while (reader && !text.includes('channelEvents')) text += decoder.decode((await reader.read()).value);
      await reader?.cancel();
      await client.dispose();
    });

    async function signInFrom(localAddress: string, headers: Record<string, string> = {}): Promise<number> {
      const { hostname, port } = new URL(proxy.origin);
      const asked = request({
        ...{ hostname, port, localAddress, agent: false, method: 'POST', path: '/auth/sign-in/email' },
        headers: { 'content-type': 'application/json', 'content-length': 2, ...headers },
      });
      asked.end('{}');
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      await once(answer, 'end');
      return answer.statusCode ?? 0;
    }

    it('two clients have two addresses, whatever headers they send, and separate limits', async () => {
      const forged = { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' };
      for (let n = 0; n < SIGN_IN_PER_ADDRESS.points; n += 1) {
        expect(await signInFrom('127.0.0.2', n % 2 === 0 ? {} : forged)).toBe(400);
      }
      expect(await signInFrom('127.0.0.2')).toBe(429);
      expect(await signInFrom('127.0.0.2', forged)).toBe(429);
      expect(await signInFrom('127.0.0.1', { 'x-forwarded-for': '127.0.0.2' })).toBe(400);
      const addresses = counted.filter(({ path }) => path === '/auth/sign-in/email').map(({ address }) => address);
      expect(new Set(addresses)).toEqual(new Set(['127.0.0.1', '127.0.0.2']));
    });

    it('the host and protocol headers of a client have no effect', async () => {
      const headers = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      };
      for (const path of [
        '/',
        '/api/v10/gateway',
        '/.well-known/oauth-authorization-server',
        '/api/oauth2/authorize',
      ]) {
        const answer = await fetch(proxy.origin + path, { headers, redirect: 'manual' });
        expect([...answer.headers.values(), await answer.text()].join()).not.toContain('evil.example');
      }
    });

    it('a socket counts by the address of its client', async () => {
      counted.length = 0;
      const headers = { 'x-forwarded-for': '127.0.0.1' };
      const client = socketClient({ ...server, origin: proxy.origin }, { localAddress: '127.0.0.3', headers });
      const answer = await client.iterate({ query: '{ __typename }' }).next();
      expect(answer.value).toMatchObject({ data: { __typename: 'Query' } });
      await client.dispose();
      expect(new Set(counted.map(({ address }) => address))).toEqual(new Set(['127.0.0.3']));
    });
  });
});

describe.each(PROXIES)('a proxy while its server restarts', (name) => {
  const missing = missingProxy(name);

  it.skipIf(missing)(
    needing(missing, `${name} holds requests back, or responds in JSON that no server is available`),
    async () => {
      const env = { DATA_DIR: await mkdtemp(join(tmpdir(), 'causeway-restart-')), PORT: String(await freePort()) };
      const before = await startServer({ env });
      const proxy = await startProxy(name, before);
      const scene = await openScene(before);
      const bot = () => new RestBot(proxy, scene.bot.bot);
      let isOver = false;
      const answers: Awaited<ReturnType<RestBot['post']>>[] = [];
      const send = async () => {
        while (!isOver) answers.push(await bot().post(scene.messages, { content: 'on and on' }));
      };
      const senders = [send(), send()];
      await before.stop();
      const after = await startServer({ env });
      const gateway = await bot().get('/gateway');
      expect(gateway.status).toBe(200);
      isOver = true;
      await Promise.all(senders);
      const refused = answers.filter(({ status }) => status !== 200);
      if (name === 'haproxy') expect(refused).toEqual([]);
      for (const { status, body } of refused) expect([status, body.code]).toEqual([503, 0]);
      const stored = await after.app.db.reader.message.count({ where: { content: 'on and on' } });
      expect(stored).toBe(answers.length - refused.length);
      await proxy.stop();
      await after.stop();
      await rm(env.DATA_DIR, { recursive: true, force: true });
    },
  );
});
