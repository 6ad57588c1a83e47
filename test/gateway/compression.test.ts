import type { Duplex } from 'node:stream';
import zlib, { constants, createInflate, inflateSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { type Decoder, type Frame, GatewayClient } from '../harness/gateway-client.js';
import { createChannels } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createBotInGuild, LONG_EMBEDS, say, sayAtLength, type TestBot, type TestGuild } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ({ bot, guild } = await createBotInGuild(server.app));
  await createChannels(server.app, guild.id, CHANNELS - 2);
});

/** The limit of channels in a guild. */
const CHANNELS = 500;

const SIZES = [1, 20, 200, 4_000];

const SYNC_FLUSH = Buffer.from([0, 0, 0xff, 0xff]);
const isText: Decoder = () => '{"op":-1,"t":null,"s":null,"d":null}';

/** Opens a session, sends messages of many sizes and returns the client. `decoder` may delay the decoding. */
async function conversation(query: string, decoder: Decoder, more: object = {}): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin, query, decoder);
  const received = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => client.messages.length >= count && resolve();
      client.socket.on('message', check);
      check();
    });
  await received(1);
  client.identify(bot.token, more);
  await received(3);
  for (const size of SIZES) await say(server.app, guild, guild.owner, 'é'.repeat(size));
  await sayAtLength(server.app, guild, guild.owner);
  await received(8);
  client.send(1, null);
  await received(9);
  await client.close();
  return client;
}

function expectConversation(frames: Frame[]): void {
  const kinds = ['READY', 'GUILD_CREATE', ...Array.from({ length: 5 }, () => 'MESSAGE_CREATE')];
  expect(frames.map((frame) => frame.t ?? frame.op)).toEqual([10, ...kinds, 11]);
  expect(frames.slice(3, 8).map((frame) => frame.d.content.length)).toEqual([...SIZES, 0]);
  expect(frames[7]!.d.embeds).toMatchObject(LONG_EMBEDS);
  expect(frames[2]!.d.channels).toHaveLength(CHANNELS);
}

const inflated = (messages: GatewayClient['messages']) =>
  decoded(messages, createInflate({ flush: constants.Z_SYNC_FLUSH }));

async function decoded(messages: GatewayClient['messages'], decoder: Duplex): Promise<Frame[]> {
  const parts: Buffer[] = [];
  decoder.on('data', (part: Buffer) => parts.push(part));
  const frames: Frame[] = [];
  for (const { data } of messages) {
    await new Promise<void>((resolve, reject) => {
      decoder.once('error', reject);
      decoder.write(data, () => resolve());
    });
    frames.push(JSON.parse(Buffer.concat(parts.splice(0)).toString()));
  }
  return frames;
}

describe('G-43 zlib-stream', () => {
  it('G-43 is one zlib stream, each payload one binary message that ends in 00 00 ff ff', async () => {
    const { messages } = await conversation('?v=10&encoding=json&compress=zlib-stream', isText);
    for (const { data, isBinary } of messages) {
      expect(isBinary).toBe(true);
      expect(data.subarray(-4)).toEqual(SYNC_FLUSH);
    }
    expectConversation(await inflated(messages));
  });

  it('G-43 saves most of a large payload', async () => {
    const plain = await conversation('?v=10', isText);
    const compressed = await conversation('?v=10&compress=zlib-stream', isText);
    const size = (client: GatewayClient) => client.messages[2]!.data.length;
    expect(size(compressed)).toBeLessThan(size(plain) / 5);
  });
});

/** Reads stored blocks (RFC 8878, 3.1.1.2). The first message begins with the header of the frame. */
function storedZstdText(message: Buffer, first: boolean): string {
  let rest = message;
  if (first) {
    expect(rest.readUInt32LE()).toBe(0xfd2fb528);
    rest = rest.subarray(6);
  }
  const parts: Buffer[] = [];
  while (rest.length > 0) {
    const header = rest.readUIntLE(0, 3);
    expect(header & 0b111).toBe(0);
    const end = 3 + (header >> 3);
    parts.push(rest.subarray(3, end));
    rest = rest.subarray(end);
  }
  return Buffer.concat(parts).toString();
}

/** A runtime with zstd compresses the blocks, and its own decoder reads them. */
const hasZstd = 'createZstdDecompress' in zlib;
const noZstd = hasZstd ? null : `Node ${process.versions.node} has no zstd; 22.15 and newer have`;
const zstd = hasZstd ? `Node ${process.versions.node} has zstd; 22.14 and older have none` : null;

it.skipIf(zstd)(
  needing(zstd, 'G-44 without zstd, zstd-stream is one frame that is never ended, each payload one binary message'),
  async () => {
    const { messages } = await conversation('?v=10&compress=zstd-stream', isText);
    expect(messages.every(({ isBinary }) => isBinary)).toBe(true);
    expectConversation(messages.map(({ data }, index) => JSON.parse(storedZstdText(data, index === 0))));
  },
);

it.skipIf(noZstd)(
  needing(noZstd, 'G-44 with zstd, zstd-stream is one frame that is never ended and saves most of a payload'),
  async () => {
    const { messages } = await conversation('?v=10&compress=zstd-stream', isText);
    const decoder = Reflect.get(zlib, 'createZstdDecompress').call(zlib) as Duplex;
    expectConversation(await decoded(messages, decoder));
    expect(messages[2]!.data.length).toBeLessThan(20_000);
  },
);

describe('G-45 compress: true', () => {
  it('G-45 makes larger payloads whole zlib messages and leaves small ones as text', async () => {
    const { messages } = await conversation('?v=10', isText, { compress: true });
    const texts = messages.map(({ data, isBinary }) => (isBinary ? inflateSync(data) : data).toString());
    expectConversation(texts.map((text) => JSON.parse(text)));
    expect(messages.map(({ isBinary }) => isBinary)).toEqual(texts.map((text) => Buffer.byteLength(text) >= 1_024));
    expect(messages.filter(({ isBinary }) => isBinary).length).toBeGreaterThan(1);
  });

  it('G-45 has no effect with transport compression', async () => {
    const { messages } = await conversation('?v=10&compress=zlib-stream', isText, { compress: true });
    expectConversation(await inflated(messages));
  });
});
