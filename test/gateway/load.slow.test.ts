import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../harness/clock.js';
import { collectGarbage } from '../harness/garbage.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { startServer, type TestOptions, type TestServer } from '../harness/server.js';
import { createBotInGuild, say, sayAtLength, type TestBot, type TestGuild } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;

async function start(options: TestOptions = {}): Promise<void> {
  server = await startServer(options);
  ({ bot, guild } = await createBotInGuild(server.app));
}
afterEach(() => server.stop());

const speak = (content: string) => say(server.app, guild, guild.owner, content);

/** Sends a message that the client receives. The bot's permission is cached from then on. */
async function sayFirst(client: GatewayClient): Promise<void> {
  await speak('first');
  await client.event('MESSAGE_CREATE');
}

const messagesAfterFirst = (...clients: GatewayClient[]) =>
  clients
    .flatMap((client) => client.frames)
    .filter((frame) => frame.t === 'MESSAGE_CREATE' && frame.d.content !== 'first');

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Bytes of external buffers that are still referenced. A buffer is freed one turn of the event loop later and may free
 * more.
 */
async function heldOutsideTheHeap(): Promise<number> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    collectGarbage();
    await turn();
    const { external } = process.memoryUsage();
    if (external >= before) return before;
    before = external;
  }
}

describe('G-46 slow readers', () => {
  it('G-46 lose their session, which may resume, and delay no other session', async () => {
    await start();
    const slow = await GatewayClient.open(server.origin);
    const ready = await slow.ready(bot.token);
    await sayFirst(slow);
    const seq = slow.sequence!;
    const quick = await GatewayClient.open(server.origin);
    await quick.ready(bot.token);
    slow.socket.pause();
    const before = await heldOutsideTheHeap();
    let said = 0;
    // The kernel buffers some megabytes before the server has to wait.
    for (; (await closesOf(4901)) === 0 && said < 1_000; said += 1) {
      await sayAtLength(server.app, guild, guild.owner);
      await turn();
    }
    expect(await closesOf(4901)).toBe(1);
    expect((await heldOutsideTheHeap()) - before).toBeLessThan(32 * 1024 * 1024);
    await speak('end');
    await quick.next((frame) => frame.d?.content === 'end');
    expect(messagesAfterFirst(quick)).toHaveLength(said + 1);

    slow.socket.resume();
    await slow.closed;
    const again = await GatewayClient.open(server.origin);
    again.send(6, { token: bot.token, session_id: ready.d.session_id, seq: slow.sequence });
    await again.event('RESUMED');
    const heard = messagesAfterFirst(slow, again);
    expect(heard).toHaveLength(said + 1);
    expect(heard.map((frame) => frame.s! - seq)).toEqual(heard.map((_, index) => index + 1));
    await Promise.all([quick.close(), again.close()]);
  });

  it('G-46 do not delay 20 other sessions: each event reaches all of these before the next one is sent', async () => {
    await start();
    const slow = await GatewayClient.open(server.origin);
    await slow.ready(bot.token);
    await sayFirst(slow);
    const others = await Promise.all(Array.from({ length: 20 }, () => openCounter()));
    slow.socket.pause();
    const delaysMs: number[] = [];
    for (; (await closesOf(4901)) === 0 && delaysMs.length < 200; await turn()) {
      await sayAtLength(server.app, guild, guild.owner);
      const said = performance.now();
      await Promise.all(others.map((other) => other.untilHeard(delaysMs.length + 1)));
      delaysMs.push(performance.now() - said);
    }
    expect(await closesOf(4901)).toBe(1);
    expect(delaysMs.sort((a, b) => a - b).at(Math.floor(delaysMs.length / 2))).toBeLessThan(250);
    slow.socket.terminate();
    await Promise.all(others.map(({ client }) => client.close()));
  });

  /** Opens a session that only counts its messages, because 20 sessions that keep them would fill the memory. */
  async function openCounter() {
    const client = await GatewayClient.open(server.origin);
    await client.ready(bot.token);
    let heard = 0;
    let onHeard = () => {};
    client.socket.removeAllListeners('message').on('message', () => {
      heard += 1;
      onHeard();
    });
    const untilHeard = async (count: number) => {
      while (heard < count) await new Promise<void>((resolve) => (onHeard = resolve));
      expect(heard).toBe(count);
    };
    return { client, untilHeard };
  }

  it('G-46 get 4 MiB after a RESUME, at their own pace', async () => {
    await start();
    const client = await GatewayClient.open(server.origin);
    const ready = await client.ready(bot.token);
    await sayFirst(client);
    client.socket.terminate();
    await client.closed;
    for (let count = 0; count < 30; count += 1) await sayAtLength(server.app, guild, guild.owner);
    const again = await GatewayClient.open(server.origin);
    again.send(6, { token: bot.token, session_id: ready.d.session_id, seq: client.sequence });
    again.socket.pause();
    await turn();
    again.socket.resume();
    await again.event('RESUMED');
    expect(messagesAfterFirst(again)).toHaveLength(30);
    await again.close();
  });

  async function closesOf(code: number): Promise<number> {
    const { values } = await server.app.metrics.gatewayCloses.get();
    return values.find(({ labels }) => Number(labels.code) === code)?.value ?? 0;
  }
});

describe('G-47 a stopping server', () => {
  const upgradeStatus = () =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(server.origin);
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `GET /gateway HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
            'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
        );
      });
      socket.once('data', (data) => {
        socket.destroy();
        resolve(data.toString().slice(9, 12));
      });
      socket.once('error', reject);
    });

  it('G-47 sends op 7, refuses upgrades with 503, and closes remaining clients with 4900', async () => {
    const clock = new ManualClock();
    await start({ clock });
    const [leaving, staying] = [await GatewayClient.open(server.origin), await GatewayClient.open(server.origin)];
    await leaving.ready(bot.token);
    await staying.ready(bot.token);
    const stopped = server.stop();
    expect(await Promise.all([leaving.op(7), staying.op(7)])).toMatchObject([{ d: null }, { d: null }]);
    await leaving.close(4999);
    clock.advance(3_001);
    expect((await staying.closed).code).toBe(4900);
    await stopped;
  });

  it('G-47 refuses upgrades with 503 while it stops', async () => {
    const clock = new ManualClock();
    await start({ clock });
    const client = await GatewayClient.open(server.origin);
    const draining = server.stop();
    await client.op(7);
    const status = await upgradeStatus().catch((error: NodeJS.ErrnoException) => error.code);
    expect(['503', 'ECONNREFUSED']).toContain(status);
    await client.close(4999);
    await draining;
  });
});

it('G-48 the gateway closes 4000 on an internal error of a session, and goes on', async () => {
  await start();
  const { $queryRaw } = server.app.db.reader;
  const client = await GatewayClient.open(server.origin);
  await client.ready(bot.token);
  const broken = Object.assign(server.app.db.reader, { $queryRaw: undefined });
  const other = await GatewayClient.open(server.origin);
  other.identify(bot.token);
  expect((await other.closed).code).toBe(4000);
  Object.assign(broken, { $queryRaw });
  await client.settled();
  await client.close();
});
