import { GatewayIntentBits as Intent, MessageType } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { accessChannel } from '../../src/domain/guilds/index.js';
import type { MessageRecord } from '../../src/domain/messages/index.js';
import { postMessage } from '../../src/domain/messages/post.js';
import { DEFAULT_EVERYONE_PERMISSIONS } from '../../src/domain/permissions.js';
import { HELD_LIMIT } from '../../src/gateway/protocol.js';
import { ManualClock } from '../harness/clock.js';
import { failStatements } from '../harness/faults.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { readableLog, readLines } from '../harness/log.js';
import { permitEveryone } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { callOf, createBotInGuild, createChannel, type TestBot, type TestGuild, toSend } from '../harness/world.js';

const GUILD_IS_READ = /FROM\W+(\w+\W+)?Guild\W/s;
const CONTENT = Intent.Guilds | Intent.GuildMessages | Intent.MessageContent;

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;
let faults: ReturnType<typeof failStatements> | undefined;
const clock = new ManualClock();
const { log, lines } = readableLog('warn');

beforeAll(async () => {
  server = await startServer({ clock, log });
});
beforeEach(async () => {
  lines.length = 0;
  ({ bot, guild } = await createBotInGuild(server.app));
});
afterEach(() => faults?.heal());
afterAll(() => server.stop());

async function session(intents: number): Promise<{ client: GatewayClient; id: string }> {
  const client = await GatewayClient.open(server.origin);
  client.identify(bot.token, { intents });
  const { d } = await client.event('READY');
  return { client, id: d.session_id };
}

async function shown(intents: number) {
  const opened = await session(intents);
  await opened.client.event('GUILD_CREATE');
  return opened;
}

async function untilPassed(isSo: () => boolean): Promise<void> {
  const passed = () => {
    if (!isSo()) clock.advance(500);
    return isSo();
  };
  await expect.poll(passed, { timeout: 20_000 }).toBe(true);
}

/**
 * A user who read the guild before the fault and whose messages need no further read. The caches of the process are
 * empty after that.
 */
async function speaker(): Promise<(content: string) => Promise<MessageRecord>> {
  const call = callOf(server.app, guild.owner);
  const place = await accessChannel(call, guild.channel.id, 'sendMessage');
  await permitEveryone(server.app, guild.id, DEFAULT_EVERYONE_PERMISSIONS);
  const post = { author: guild.owner, place, files: [], kind: MessageType.Default };
  return (content) => postMessage(call, { ...post, body: toSend({ content }) });
}
const contents = ({ frames }: GatewayClient) =>
  frames.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d.content);

it('G-23 G-24 an event whose permission could not be read at first arrives later, and those behind it after it', async () => {
  const { client } = await shown(CONTENT);
  const speak = await speaker();
  faults = failStatements(GUILD_IS_READ);
  await speak('one');
  await speak('two');
  await expect.poll(faults.count).toBeGreaterThan(0);
  expect(contents(client)).toEqual([]);
  faults.heal();
  await speak('three');
  await untilPassed(() => contents(client).length === 3);
  expect(contents(client)).toEqual(['one', 'two', 'three']);
  expect(lines).toEqual([]);
  await client.close();
});

it('G-23 G-48 sessions whose permission cannot be read close 4000 and get the waiting events when they resume; others go on', async () => {
  const { client, id } = await shown(CONTENT);
  const { client: other } = await shown(Intent.Guilds);
  const speak = await speaker();
  await other.event('GUILD_ROLE_UPDATE');
  faults = failStatements(GUILD_IS_READ);
  const waiting = Array.from({ length: 20 }, (_, count) => `waits ${count}`);
  for (const content of waiting) await speak(content);
  let closedWith: number | undefined;
  void client.closed.then(({ code }) => {
    closedWith = code;
  });
  await untilPassed(() => closedWith !== undefined);
  expect(closedWith).toBe(4000);
  expect(contents(client)).toEqual([]);
  expect(readLines(lines).map(({ msg }) => msg)).toEqual([
    'Could not read permissions for gateway events; disconnecting the sessions',
  ]);
  const again = await GatewayClient.open(server.origin);
  again.send(6, { token: bot.token, session_id: id, seq: client.sequence });
  await again.event('RESUMED');
  expect(await other.settled()).toEqual([]);
  // The same fault does not disconnect a resumed session again.
  clock.advance(6_000);
  await expect.poll(faults.count).toBeGreaterThan(5);
  faults.heal();
  await untilPassed(() => contents(again).length === waiting.length);
  expect(contents(again)).toEqual(waiting);
  const { id: created } = await createChannel(server.app, guild.id, 'news');
  expect((await other.event('CHANNEL_CREATE')).d.id).toBe(String(created));
  expect((await again.event('CHANNEL_CREATE')).d.id).toBe(String(created));
  await Promise.all([again.close(), other.close()]);
});

it('G-23 sessions lose a guild when too many of its events wait, unless they want none of these events', async () => {
  const { client } = await shown(CONTENT);
  const { client: other } = await shown(Intent.Guilds);
  const speak = await speaker();
  await other.event('GUILD_ROLE_UPDATE');
  faults = failStatements(GUILD_IS_READ);
  const message = await speak('waits');
  // Each copy of a repeated event counts.
  for (let count = 0; count < HELD_LIMIT.events; count += 1) {
    server.app.publish({ type: 'MESSAGE_CREATE', message, member: null });
  }
  expect((await client.event('GUILD_DELETE')).d).toEqual({ id: String(guild.id), unavailable: true });
  expect(readLines(lines).map(({ sessions }) => sessions)).toEqual([1]);
  faults.heal();
  expect(await other.settled()).toEqual([]);
  await untilPassed(() => client.frames.filter(({ t }) => t === 'GUILD_CREATE').length === 2);
  await speak('shown anew');
  await untilPassed(() => contents(client).includes('shown anew'));
  expect(contents(client)).toEqual(['shown anew']);
  const { id: created } = await createChannel(server.app, guild.id, 'news');
  await untilPassed(() => other.frames.some(({ d }) => d?.id === String(created)));
  await Promise.all([client.close(), other.close()]);
});

it('G-21 G-23 a guild that could not be read is unavailable, and is shown with all later events once it can be read', async () => {
  const speak = await speaker();
  faults = failStatements(GUILD_IS_READ);
  const { client } = await session(CONTENT);
  expect((await client.event('GUILD_DELETE')).d).toEqual({ id: String(guild.id), unavailable: true });
  faults.heal();
  await speak('meanwhile');
  await untilPassed(() => client.frames.some(({ t }) => t === 'GUILD_CREATE'));
  await speak('then');
  await untilPassed(() => contents(client).length === 2);
  const dispatched = client.frames.filter(({ op }) => op === 0).map(({ t, d }) => d.content ?? t);
  expect(dispatched).toEqual(['READY', 'GUILD_DELETE', 'GUILD_CREATE', 'meanwhile', 'then']);
  await client.close();
});
