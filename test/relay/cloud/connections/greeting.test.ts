import nacl from 'tweetnacl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteBox, newEnrolmentToken } from '../../../../src/domain/boxes/index.js';
import { ManualClock } from '../../../harness/clock.js';
import { connectAgain, connectNewBox, makeBox } from '../../../harness/hand-box.js';
import { greet, introduce, openRelay, type RawRelay, signGreeting } from '../../../harness/raw-relay.js';
import { startServer, type TestServer } from '../../../harness/server.js';
import { until } from '../../../harness/until.js';
import { callOf } from '../../../harness/world.js';

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

describe('the handshake (docs/relay.md, R-10 to R-16)', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const helloOf = (keys: nacl.SignKeyPair, more = {}) => ({
    op: 'hello',
    versions: [1],
    features: [],
    software: 'test',
    key: base64url(keys.publicKey),
    instance: 'one',
    ...more,
  });

  it("R-12 challenges with the best common version, random bytes and the cloud's origin", async () => {
    const relay = await openRelay(server.origin);
    relay.send(helloOf(nacl.sign.keyPair(), { versions: [7, 1], features: ['unheard-of'] }));
    const challenge = await relay.next();
    expect(challenge).toMatchObject({ op: 'challenge', version: 1, features: [], origin: server.origin });
    expect(Buffer.from(challenge.nonce, 'base64url')).toHaveLength(32);
    relay.cut();
  });

  it('R-15 welcomes an enrolled box with its number, its name and its limits', async () => {
    const { id, welcome, relay } = await connectNewBox(server);
    expect(welcome).toEqual({
      op: 'welcome',
      box_id: String(id),
      name: 'Home',
      id_space: expect.any(Number),
      generation: 1,
      limits: {
        requests: expect.any(Number),
        stream_credit: expect.any(Number),
        box_credit: expect.any(Number),
        answer_bytes: 8 * 1024 * 1024,
      },
      events: null,
    });
    expect(welcome.id_space).toBeGreaterThanOrEqual(4_096);
    relay.cut();
  });

  it('R-15 gives a box the same number each time', async () => {
    const box = await connectNewBox(server);
    const again = await connectAgain(server, box);
    expect(again.welcome).toMatchObject({ id_space: box.welcome.id_space, generation: 2 });
    again.relay.cut();
  });

  it('R-16 closes the earlier connection with 4103 once the newer one was welcomed', async () => {
    const box = await connectNewBox(server);
    const again = await connectAgain(server, box);
    expect(await box.relay.closed).toMatchObject({ code: 4103 });
    expect((await server.app.db.reader.box.findUniqueOrThrow({ where: { id: box.id } })).holderId).not.toBeNull();
    again.relay.cut();
  });

  it('R-16 of many connections at once, the newest serves and all others close 4103', async () => {
    const box = await connectNewBox(server);
    const serving = new Set<RawRelay>();
    const codes: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const relay = await openRelay(server.origin);
        serving.add(relay);
        void relay.closed.then(({ code }) => codes.push(code) && serving.delete(relay));
        await introduce(relay, { keys: box.keys });
      }),
    );
    await until(() => codes.length === 7);
    expect(codes).toEqual(Array(7).fill(4103));
    const [newest] = serving;
    expect(await newest?.next('welcome')).toMatchObject({ generation: 9 });
    newest?.send({ op: 'ping', t: 5 });
    expect(await newest?.next('pong')).toMatchObject({ t: 5 });
    newest?.cut();
  });

  it.each([
    ['R-11 no version in common', 4100, (keys: nacl.SignKeyPair) => helloOf(keys, { versions: [2, 3] })],
    ['R-3 a field that is missing', 4002, () => ({ op: 'hello', versions: [1] })],
    ['R-3 a key of another length', 4002, (keys: nacl.SignKeyPair) => helloOf(keys, { key: 'AAAA' })],
    ['R-10 a message out of order', 4002, () => ({ op: 'ready', s: 1 })],
    ['R-10 a proof of nothing', 4002, () => ({ op: 'proof', signature: base64url(new Uint8Array(64)) })],
  ])('%s closes %i', async (_rule, code, message) => {
    const relay = await openRelay(server.origin);
    relay.send(message(nacl.sign.keyPair()));
    expect(await relay.closed).toMatchObject({ code });
  });

  it('R-3 an unknown op is answered, and the handshake continues', async () => {
    const relay = await openRelay(server.origin);
    relay.send({ op: 'salute' });
    expect(await relay.next()).toEqual({ op: 'unknown', was: 'salute' });
    relay.send(helloOf(nacl.sign.keyPair()));
    expect(await relay.next()).toMatchObject({ op: 'challenge' });
    relay.cut();
  });

  it.each([
    [
      'of another nonce',
      (keys: nacl.SignKeyPair, challenge: { op: string }) => signGreeting(keys, { ...challenge, nonce: 'x' }),
    ],
    [
      'for another origin',
      (keys: nacl.SignKeyPair, challenge: { op: string }) =>
        signGreeting(keys, { ...challenge, origin: 'https://in.between' }),
    ],
    ['of nothing', () => base64url(new Uint8Array(64))],
  ])('R-13 a signature %s closes 4101, and the token stays valid', async (_what, sign) => {
    const { token } = await makeBox(server);
    const keys = nacl.sign.keyPair();
    const relay = await openRelay(server.origin);
    relay.send(helloOf(keys, { token }));
    const challenge = await relay.next('challenge');
    relay.send({ op: 'proof', signature: sign(keys, challenge) });
    expect(await relay.closed).toMatchObject({ code: 4101 });
    const { relay: good } = await greet(server.origin, { keys, token });
    good.cut();
  });

  it('R-14 an unknown key without a token closes 4101', async () => {
    const relay = await openRelay(server.origin);
    await introduce(relay);
    expect(await relay.closed).toMatchObject({ code: 4101 });
  });

  it('R-14 a token is valid for one key', async () => {
    const { token, relay } = await connectNewBox(server);
    const late = await openRelay(server.origin);
    await introduce(late, { token });
    expect(await late.closed).toMatchObject({ code: 4101 });
    relay.cut();
  });

  it('R-14 of several connections that show a token at once, one gets the box', async () => {
    const { token } = await makeBox(server);
    const relays = await Promise.all(Array.from({ length: 5 }, () => openRelay(server.origin)));
    await Promise.all(relays.map((relay) => introduce(relay, { token })));
    const outcomes = await Promise.all(
      relays.map((relay) => Promise.race([relay.next('welcome').then(() => 0), relay.closed.then(({ code }) => code)])),
    );
    expect(outcomes.sort()).toEqual([0, 4101, 4101, 4101, 4101]);
    for (const relay of relays) relay.cut();
  });

  it('R-14 a new key invalidates the earlier one, and its connection closes 4101', async () => {
    const box = await connectNewBox(server);
    const { enrolmentToken: token } = await newEnrolmentToken(callOf(server.app, box.owner), box.id);
    const { relay, welcome } = await greet(server.origin, { token });
    expect(welcome).toMatchObject({ box_id: String(box.id), id_space: box.welcome.id_space });
    expect(await box.relay.closed).toMatchObject({ code: 4101 });
    const old = await openRelay(server.origin);
    await introduce(old, { keys: box.keys });
    expect(await old.closed).toMatchObject({ code: 4101 });
    relay.cut();
  });

  it('R-6 a box that is deleted closes 4102', async () => {
    const box = await connectNewBox(server);
    await deleteBox(callOf(server.app, box.owner), box.id);
    expect(await box.relay.closed).toMatchObject({ code: 4102 });
  });

  it('announces the stop while the server stops (R-40)', async () => {
    const own = await startServer();
    const box = await connectNewBox(own);
    const greeting = await openRelay(own.origin);
    const stopped = own.stop();
    expect(await box.relay.next('going_away')).toMatchObject({ retry_after_ms: expect.any(Number) });
    expect(await box.relay.closed).toMatchObject({ code: 4000 });
    expect(await greeting.closed).toMatchObject({ code: 4000 });
    await stopped;
  });
});

describe('the time limits of the handshake', () => {
  it.each([
    ['hello', async () => {}],
    [
      'proof',
      async (relay: Awaited<ReturnType<typeof openRelay>>) => {
        relay.send({ op: 'hello', versions: [1], key: base64url(nacl.sign.keyPair().publicKey) });
        await relay.next('challenge');
      },
    ],
  ])('R-10 no %s within 10 s closes 4005', async (_what, before) => {
    const clock = new ManualClock();
    const server = await startServer({ clock });
    try {
      const relay = await openRelay(server.origin);
      // Both ends are open once this is answered.
      relay.send({ op: 'ping', t: 1 });
      await relay.next('pong');
      await before(relay);
      clock.advance(10_000);
      expect(await relay.closed).toMatchObject({ code: 4005 });
    } finally {
      await server.stop();
    }
  });
});
