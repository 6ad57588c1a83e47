import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBox, type TestBox } from '../../harness/box.js';
import { announce, connectAgain, connectNewBox, guildOf, type HandBox } from '../../harness/hand-box.js';
import { RawCloud, type RawConnection } from '../../harness/raw-cloud.js';
import { openRelay } from '../../harness/raw-relay.js';
import { startServer, type TestServer } from '../../harness/server.js';

const MIB = 1024 * 1024;

/** Allowed close codes for any input. */
const CODES = [4002, 4004, 4104];

const OPS = [
  ...['ping', 'pong', 'unknown', 'credit', 'going_away', 'hello', 'proof', 'response', 'cancelled', 'resume', 'begin'],
  ...['announce', 'withdraw', 'ready', 'dispatch', 'challenge', 'welcome', 'request', 'call', 'cancel', 'ack', 'x'],
];
const FIELDS = [
  ...['t', 'was', 'id', 'bytes', 'versions', 'key', 'signature', 'status', 'headers', 'body', 'session', 's', 'guild'],
  ...['guild_id', 'd', 'version', 'nonce', 'origin', 'limits', 'events', 'input', 'name', 'budget_ms', 'bot', 'path'],
];
const value = fc.oneof(fc.nat(5), fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(-1, 2 ** 32, 2 ** 53, '1', {}, []));
const message = fc
  .tuple(fc.constantFrom(...OPS), fc.dictionary(fc.constantFrom(...FIELDS), value))
  .map(([op, fields]) => JSON.stringify({ ...fields, op }));
const frame = fc.oneof(
  { weight: 4, arbitrary: message },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.jsonValue().map((json) => JSON.stringify(json)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
);
const frames = fc.array(frame, { minLength: 1, maxLength: 20 });

const textOf = (bytes: number) => {
  const around = JSON.stringify({ op: 'ping', t: 1, x: '' }).length;
  return JSON.stringify({ op: 'ping', t: 1, x: 'x'.repeat(bytes - around) });
};

describe("the cloud's end (R-2, R-3)", () => {
  let server: TestServer;
  let box: HandBox;
  beforeAll(async () => {
    server = await startServer();
    box = await connectNewBox(server);
    await announce(box, [guildOf(box)]);
  });
  afterAll(() => server.stop());

  it.each(['before the greeting', 'after it'])(
    'closes with a code of the protocol at most after any input %s, and the next connection works',
    async (when) => {
      const run = fc.asyncProperty(frames, async (garbage) => {
        const relay = when === 'after it' ? box.relay : await openRelay(server.origin);
        for (const one of garbage) relay.send(one);
        relay.send({ op: 'ping', t: 1 });
        const outcome = await Promise.race([relay.closed, relay.next('pong').catch(() => relay.closed)]);
        if ('code' in outcome) expect([...CODES, 4100]).toContain(outcome.code);
        relay.cut();
        box = await connectAgain(server, box);
      });
      await fc.assert(run, { numRuns: 40 });
      await announce(box, [guildOf(box)]);
    },
  );

  it('reads a message of 1 MiB, and closes 4002 for one more byte', async () => {
    box.relay.send(textOf(MIB));
    expect(await box.relay.next('pong')).toMatchObject({ t: 1 });
    box.relay.send(textOf(MIB + 1));
    expect(await box.relay.closed).toMatchObject({ code: 4002 });
    box = await connectAgain(server, box);
  });
});

describe("the box's end (R-2, R-3)", () => {
  let cloud: RawCloud;
  let box: TestBox;
  let connection: RawConnection;
  beforeAll(async () => {
    cloud = await RawCloud.open();
    const starting = startBox({ cloudUrl: cloud.origin, token: 'token', random: () => 0 });
    await cloud.welcome();
    box = await starting;
    ({ connection } = await cloud.welcome());
    await connection.next('ready');
  });
  afterAll(async () => {
    await box.stop();
    await cloud.stop();
  });

  /** Settles with the close code, or null if the last message was answered. */
  const outcome = () => {
    connection.send({ op: 'last' });
    const answered = connection.next('unknown', ({ was }) => was === 'last').then(() => null);
    return Promise.race([connection.closed, answered]);
  };

  async function reconnect(): Promise<void> {
    connection.cut();
    ({ connection } = await cloud.welcome());
    await connection.next('ready');
  }

  it('closes with a code of the protocol at most after any input, and the next connection works', async () => {
    // A cloud may keep a box away for a day.
    const isStaying = (garbage: (string | Buffer)[]) => garbage.every((one) => !String(one).includes('going_away'));
    const run = fc.asyncProperty(frames.filter(isStaying), async (garbage) => {
      for (const one of garbage) connection.raw(one);
      const close = await outcome();
      if (close) expect(CODES).toContain(close.code);
      await reconnect();
    });
    await fc.assert(run, { numRuns: 40, examples: [[['{"op":"welcome"}']], [[Buffer.alloc(4)]], [['']]] });
  });

  it('reads a message of 1 MiB, and closes 4002 for one more byte', async () => {
    connection.raw(textOf(MIB));
    expect(await outcome()).toBeNull();
    connection.raw(textOf(MIB + 1));
    expect(await connection.closed).toMatchObject({ code: 4002 });
    await reconnect();
  });
});
