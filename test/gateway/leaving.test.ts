import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DRAIN_MS, PARTING_MS } from '../../src/gateway/protocol.js';
import { ManualClock } from '../harness/clock.js';
import { GatewayClient } from '../harness/gateway-client.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type Person,
  signUp,
} from '../harness/people.js';
import { ask } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';

describe('the metrics of the gateway', () => {
  let server: TestServer;
  let ada: Person;
  let bot: MadeApplication;
  beforeAll(async () => {
    server = await startServer();
    ada = await signUp(server, 'ada');
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    bot = await createApplication(ada);
  });

  async function metric(name: string, label = ''): Promise<number> {
    const { body } = await ask(server, 'GET', `${server.origin}/metrics`);
    const line = String(body)
      .split('\n')
      .find((one) => one.startsWith(`${name}${label} `));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  it('count sessions, closes by code, and dispatches by name', async () => {
    await install(ada, bot, await createGuild(ada));
    const client = await GatewayClient.open(server.origin);
    await client.ready(bot.botToken);
    const waiting = await GatewayClient.open(server.origin);
    await waiting.ready(bot.botToken);
    expect(await metric('causeway_gateway_sessions')).toBe(2);
    const shown = await metric('causeway_gateway_dispatches_total', '{type="GUILD_CREATE"}');
    expect(shown).toBeGreaterThanOrEqual(2);
    waiting.socket.terminate();
    await waiting.closed;
    client.send(99, null);
    expect((await client.closed).code).toBe(4001);
    expect(await metric('causeway_gateway_closes_total', '{code="4001"}')).toBe(1);
    expect(await metric('causeway_gateway_sessions')).toBe(2);
    await update(ada, bot.id, { privilegedIntents: [] });
    await expect.poll(() => metric('causeway_gateway_sessions')).toBe(0);
  });

  it('G-15 an intent that is switched off while a client identifies is refused as if it had been off before', async () => {
    const { botTokens } = server.app;
    const authenticate = botTokens.authenticate.bind(botTokens);
    botTokens.authenticate = async (token) => {
      botTokens.authenticate = authenticate;
      const found = await authenticate(token);
      await update(ada, bot.id, { privilegedIntents: [] });
      return found;
    };
    const client = await GatewayClient.open(server.origin);
    client.identify(bot.botToken);
    expect((await client.closed).code).toBe(4014);
    expect(client.frames.map(({ op }) => op)).toEqual([10]);
    expect(await metric('causeway_gateway_sessions')).toBe(0);
  });
});

describe('a server that stops', () => {
  it('accepts no new client, and cuts off one that does not answer', async () => {
    const clock = new ManualClock();
    const server = await startServer({ clock });
    const client = await GatewayClient.open(server.origin);
    await client.op(10);
    const { hostname, port } = new URL(server.origin);
    const late = connect(Number(port), hostname);
    await once(late, 'connect');
    // It sends bytes before the stop, so that the server does not take its connection for an idle one.
    late.write('GET /gateway HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n');
    const stopped = server.stop();
    await client.op(7);
    late.write(
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect(String((await once(late, 'data'))[0])).toMatch(/^HTTP\/1\.1 503 /);
    client.socket.pause();
    for (const ms of [DRAIN_MS, PARTING_MS]) {
      await new Promise(setImmediate);
      clock.advance(ms);
    }
    // By default, `ws` gives a client five seconds of real time to answer a close.
    const began = performance.now();
    await stopped;
    client.socket.terminate();
    expect(performance.now() - began).toBeLessThan(4_500);
  });
});
