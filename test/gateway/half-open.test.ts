import { once } from 'node:events';
import { Client as DiscordClient, Events, GatewayIntentBits } from 'discord.js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../harness/clock.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { LossyLine } from '../harness/lossy-line.js';
import { startServer, type TestServer } from '../harness/server.js';
import { createBotInGuild, say, type TestBot, type TestGuild } from '../harness/world.js';

const clock = new ManualClock();
let server: TestServer;
let bot: TestBot;
let guild: TestGuild;
let line: LossyLine;

beforeAll(async () => {
  server = await startServer({ clock });
});
afterAll(() => server.stop());

beforeEach(async () => {
  ({ bot, guild } = await createBotInGuild(server.app));
  line = await LossyLine.open();
  line.leadTo(server);
});
afterEach(() => line.close());

const speak = (content: string) => say(server.app, guild, guild.owner, content);

async function closesOf(code: number): Promise<number> {
  const { values } = await server.app.metrics.gatewayCloses.get();
  return values.find(({ labels }) => Number(labels.code) === code)?.value ?? 0;
}

it('G-11 a client that vanished without a FIN closes 4009 on time, and resumes elsewhere without a lost event', async () => {
  const client = await GatewayClient.open(line.origin);
  const ready = await client.ready(bot.token);
  await speak('received');
  await client.event('MESSAGE_CREATE');
  await client.settled();
  line.swallow();
  await speak('sent to nowhere');
  clock.advance(61_874);
  expect(await closesOf(4009)).toBe(0);
  clock.advance(1);
  expect(await closesOf(4009)).toBe(1);
  await speak('sent to no connection');

  const again = await GatewayClient.open(server.origin);
  again.send(6, { token: bot.token, session_id: ready.d.session_id, seq: client.sequence });
  await again.event('RESUMED');
  const missed = again.frames.filter(({ op }) => op === 0);
  expect(missed.map(({ t, d, s }) => [t, d?.content, s! - client.sequence!])).toEqual([
    ['MESSAGE_CREATE', 'sent to nowhere', 1],
    ['MESSAGE_CREATE', 'sent to no connection', 2],
    ['RESUMED', undefined, 3],
  ]);
  expect(client.socket.readyState).toBe(client.socket.OPEN);
  await again.close();
});

it('G-33 discord.js reconnects and resumes if its heartbeats are not acknowledged', async () => {
  server.app.addresses.gatewayUrl = `${line.origin.replace('http', 'ws')}/gateway`;
  const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
  const client = new DiscordClient({
    intents: [Guilds, GuildMessages, MessageContent],
    rest: { api: `${server.origin}/api` },
  });
  const ready = once(client, Events.ClientReady);
  await client.login(bot.token);
  await ready;
  line.swallow();
  await speak('missed');
  // discord.js closes the connection, but its peer does not answer. After 30 s it would give up waiting.
  client.on(Events.Debug, (text) => text.includes('Zombie connection') && line.cutSwallowed());
  const heard = once(client, Events.MessageCreate);
  const resumed = once(client, Events.ShardResume);
  const shard = Reflect.get(client.ws, '_ws').strategy.shards.get(0);
  // Its timer calls this each 41 s.
  for (let beats = 0; beats < 2; beats += 1) await shard.heartbeat();
  expect((await heard)[0].content).toBe('missed');
  await resumed;
  await client.destroy();
});
