import { constants, createInflate, inflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { encodingFor } from '../../src/gateway/compression.js';
import { GatewayEvent, Piece } from '../../src/gateway/events.js';
import { Transmitter } from '../../src/gateway/transmitter.js';
import { it } from '../harness/fixtures.js';
import { type Frame, GatewayClient } from '../harness/gateway-client.js';
import type { TestServer } from '../harness/server.js';
import { createBotInGuild, say, type TestBot, type TestGuild } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ({ bot, guild } = await createBotInGuild(server.app));
});

/** An outlet that sends its bytes immediately, or keeps `pending` bytes until the test is over. */
function outlet(pending: number) {
  const written: Buffer[] = [];
  const nothing = () => {};
  const write = (frame: Buffer) => void written.push(pending === 0 ? Buffer.from(frame) : frame);
  return { written, write, close: nothing, destroy: nothing, pending };
}

const numberIn = (frame: Buffer | undefined) => Number(/"s":(\d+)/.exec(String(frame))?.[1]);

function transmitterTo(to: ReturnType<typeof outlet>): Transmitter {
  const transmitter = new Transmitter(to, encodingFor('')!, { drained() {} });
  transmitter.send(new GatewayEvent('READY', new Piece('{}')).at(1));
  to.written.pop();
  return transmitter;
}

it('G-24 bytes that wait in a socket keep their sequence number', () => {
  const busy = outlet(1);
  const free = outlet(0);
  const event = new GatewayEvent('TYPING_START', new Piece('{"é":1}'));
  const [toBusy, toFree] = [transmitterTo(busy), transmitterTo(free)];
  toFree.send(event.at(41));
  toBusy.send(event.at(42));
  toFree.send(event.at(43));
  toBusy.send(event.at(44));
  expect(busy.written.map(numberIn)).toEqual([42, 44]);
  expect(free.written.map(numberIn)).toEqual([41, 43]);
});

it('G-24 a sequence number with more digits gets a frame of its own length', () => {
  const free = outlet(0);
  const transmitter = transmitterTo(free);
  const event = new GatewayEvent('TYPING_START', new Piece('{}'));
  for (const number of [9, 10, 99, 100, 7]) {
    transmitter.send(event.at(number));
    const frame = free.written.at(-1)!;
    expect(JSON.parse(frame.subarray(2).toString())).toEqual({ t: 'TYPING_START', s: number, op: 0, d: {} });
  }
});

async function inflated(client: GatewayClient): Promise<Frame[]> {
  const inflate = createInflate({ flush: constants.Z_SYNC_FLUSH });
  const frames: Frame[] = [];
  for (const { data } of client.messages) {
    const parts: Buffer[] = [];
    const onData = (part: Buffer) => void parts.push(part);
    inflate.on('data', onData);
    await new Promise<void>((resolve) => inflate.write(data, () => resolve()));
    inflate.off('data', onData);
    frames.push(JSON.parse(Buffer.concat(parts).toString()));
  }
  return frames;
}

it.each([
  ['plain', '?v=10', {}],
  ['zlib-stream', '?v=10&compress=zlib-stream', {}],
  ['compress: true', '?v=10', { compress: true }],
])('G-24 every session has its own sequence numbers, %s', async (_kind, query, more) => {
  const isText = () => '{"op":-1,"t":null,"s":null,"d":null}';
  const clients: GatewayClient[] = [];
  const untilAllHave = (count: (client: number) => number) =>
    Promise.all(
      clients.map(async (client, index) => {
        while (client.messages.length < count(index)) await new Promise((next) => client.socket.once('message', next));
      }),
    );
  const rounds = 12;
  for (let round = 0; round < rounds; round += 1) {
    const client = await GatewayClient.open(server.origin, query, isText);
    clients.push(client);
    client.identify(bot.token, more);
    await untilAllHave((index) => 3 + round - index);
    // Longer than the limit below which `compress: true` does not compress.
    await say(server.app, guild, guild.owner, `${round} ${'é'.repeat(1_000)}`);
    await untilAllHave((index) => 4 + round - index);
  }
  for (const [index, client] of clients.entries()) {
    const frames = query.includes('zlib') ? await inflated(client) : client.messages.map(textOf);
    const dispatches = frames.filter(({ op }) => op === 0);
    expect(dispatches.map(({ s }) => s)).toEqual(dispatches.map((_, at) => at + 1));
    const heard = dispatches.slice(2).map(({ d }) => Number(d.content.split(' ')[0]));
    expect(heard).toEqual(Array.from({ length: rounds - index }, (_, at) => index + at));
    await client.close();
  }
});

function textOf({ data, isBinary }: GatewayClient['messages'][number]): Frame {
  return JSON.parse((isBinary ? inflateSync(data) : data).toString());
}
