import fc from 'fast-check';
import { expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { ALL_INTENTS, GatewayClient } from '../harness/gateway-client.js';
import type { TestServer } from '../harness/server.js';
import { createBotInGuild, type TestBot } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ({ bot } = await createBotInGuild(server.app));
});

const DOCUMENTED = [4001, 4002, 4003, 4004, 4005, 4007, 4008, 4010, 4013];
const PROTOCOL_ERRORS = [1002, 1006];

const op = fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 31, 43), fc.integer(), fc.jsonValue());

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    -1,
    0,
    1,
    2 ** 31,
    2 ** 53,
    Number.MAX_VALUE,
    '',
    '0',
    [],
    {},
    [[]],
    '\u0000',
    '\ud800',
    'x'.repeat(3_000),
  ),
);

const data = fc.dictionary(
  fc.constantFrom(
    ...['token', 'intents', 'properties', 'shard', 'presence', 'compress', 'large_threshold', 'session_id', 'seq'],
    ...['guild_id', 'query', 'limit', 'user_ids', 'nonce', 'presences', 'guild_ids', 'channel_id', 'self_mute'],
    ...['status', 'activities', 'since', 'afk', 'fields', '__proto__', 'constructor'],
  ),
  value,
);

const payload = fc.record({ op, d: fc.oneof(data, value) }, { requiredKeys: [] }).map((frame) => JSON.stringify(frame));

const message = fc.oneof(
  { weight: 6, arbitrary: payload },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 6_000 }).map((depth) => '{"d":'.repeat(depth)) },
  { weight: 1, arbitrary: fc.integer({ min: 4_000, max: 100_000 }).map((length) => 'x'.repeat(length)) },
);

/** Bytes of a bare socket after the upgrade, with truncated frames. */
const wire = fc.uint8Array({ minLength: 1, maxLength: 64 });

it('hostile payloads are answered or closed with a documented code, with and without a session', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(message, { minLength: 1, maxLength: 12 }), async (identified, messages) => {
      const client = await GatewayClient.open(server.origin);
      if (identified) await client.ready(bot.token, { intents: ALL_INTENTS });
      for (const each of messages) client.socket.send(each);
      await client.settled().catch(async () => {
        expect(DOCUMENTED).toContain((await client.closed).code);
      });
      await client.close();
    }),
    { numRuns: 150 },
  );
  await expectHealthy();
}, 120_000);

it('hostile bytes below the payloads end the connection and harm no other client', async () => {
  await fc.assert(
    fc.asyncProperty(wire, async (bytes) => {
      const client = await GatewayClient.open(server.origin);
      const raw = Reflect.get(client.socket, '_socket') as NodeJS.WritableStream;
      raw.end(Buffer.from(bytes));
      const { code } = await client.closed;
      expect([...DOCUMENTED, ...PROTOCOL_ERRORS, 1000, 1005, 1007]).toContain(code);
    }),
    { numRuns: 60 },
  );
  await expectHealthy();
}, 120_000);

async function expectHealthy(): Promise<void> {
  const client = await GatewayClient.open(server.origin);
  await client.ready(bot.token);
  await client.close();
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
}
