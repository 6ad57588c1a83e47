import { createHash } from 'node:crypto';
import nacl from 'tweetnacl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteBox } from '../../../src/domain/boxes/index.js';
import { connectNewBox, makeBox } from '../../harness/hand-box.js';
import { askHonest, type HostileScene, openHostile } from '../../harness/hostile.js';
import { listenTo } from '../../harness/live.js';
import { greet, introduce, openRelay, type RawMessage, type RawRelay, signGreeting } from '../../harness/raw-relay.js';
import { callOf } from '../../harness/world.js';

let scene: HostileScene;
beforeAll(async () => {
  scene = await openHostile();
});
afterAll(() => scene.stop());

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const outcomeOf = (relay: RawRelay) =>
  Promise.race([relay.next('welcome').then(() => 0), relay.closed.then(({ code }) => code)]);
const open = () => openRelay(scene.server.origin);

/** The order of the base point of Ed25519 (RFC 8032, section 5.1). */
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
const fromLittleEndian = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const toLittleEndian = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

/** A signature that verifies for any text under the neutral element as key: R is S times the base point. */
function forged(): string {
  const pair = nacl.sign.keyPair();
  const scalar = createHash('sha512').update(pair.secretKey.subarray(0, 32)).digest().subarray(0, 32);
  scalar.writeUInt8(scalar.readUInt8(0) & 248, 0);
  scalar.writeUInt8((scalar.readUInt8(31) & 127) | 64, 31);
  const s = toLittleEndian(fromLittleEndian(scalar) % ORDER);
  return base64url(Buffer.concat([pair.publicKey, s]));
}

const point = (first: number, rest: number, last: number) => Buffer.from([first, ...Array(30).fill(rest), last]);

describe('R-11, R-13: a key that proves nothing', () => {
  it.each([
    ['the neutral element', point(1, 0, 0)],
    ['the neutral element with a sign', point(1, 0, 0x80)],
    ['the neutral element, written otherwise', point(0xee, 0xff, 0x7f)],
    ['of order 2', point(0xec, 0xff, 0x7f)],
    ['of order 4', point(0, 0, 0)],
    ['of order 4, written otherwise', point(0xed, 0xff, 0x7f)],
    ['of order 8', Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex')],
    ['of order 8, another', Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex')],
  ])('%s closes 4101, and the token stays valid', async (_what, key) => {
    const { token } = await makeBox(scene.server);
    const relay = await open();
    await introduce(relay, { token, hello: { key: base64url(key) }, proof: { signature: forged() } });
    expect(await outcomeOf(relay)).toBe(4101);
    const { relay: good } = await greet(scene.server.origin, { token });
    good.cut();
  });
});

describe('R-12 to R-14: a replayed credential is refused', () => {
  it.each<[string, (keys: nacl.SignKeyPair, challenge: RawMessage, seen: string) => string]>([
    ['the proof of another connection', (_keys, _challenge, seen) => seen],
    [
      'a signature for another origin',
      (keys, challenge) => signGreeting(keys, { ...challenge, origin: 'https://x.example' }),
    ],
    ['a signature of another nonce', (keys, challenge) => signGreeting(keys, { ...challenge, nonce: 'A'.repeat(43) })],
    ['a signature by another key', (_keys, challenge) => signGreeting(nacl.sign.keyPair(), challenge)],
  ])('%s', async (_what, sign) => {
    const box = await connectNewBox(scene.server);
    const before = await open();
    const { challenge: first } = await introduce(before, { keys: box.keys, proof: { signature: 'A'.repeat(86) } });
    const seen = signGreeting(box.keys, first);
    const relay = await open();
    relay.send({ op: 'hello', versions: [1], key: base64url(box.keys.publicKey) });
    const challenge = await relay.next('challenge');
    expect(challenge.nonce).not.toBe(first.nonce);
    relay.send({ op: 'proof', signature: sign(box.keys, challenge, seen) });
    expect(await outcomeOf(relay)).toBe(4101);
    before.cut();
    box.relay.cut();
  });

  it('of ten connections that show one token at once, one gets the box', async () => {
    const { token } = await makeBox(scene.server);
    const relays = await Promise.all(Array.from({ length: 10 }, open));
    await Promise.all(relays.map((relay) => introduce(relay, { token })));
    expect((await Promise.all(relays.map(outcomeOf))).sort()).toEqual([0, ...Array(9).fill(4101)]);
    for (const relay of relays) relay.cut();
  });

  it('a stolen token can be used once, and a token of a deleted box never', async () => {
    const box = await connectNewBox(scene.server);
    const made = await makeBox(scene.server);
    await deleteBox(callOf(scene.server.app, made.owner), made.id);
    for (const { token } of [box, made]) {
      const relay = await open();
      await introduce(relay, { token });
      expect(await outcomeOf(relay)).toBe(4101);
    }
    box.relay.cut();
  });

  it('made-up tokens enrol no box', async () => {
    const enrolled = () => scene.server.app.db.reader.box.count({ where: { publicKey: { not: null } } });
    const before = await enrolled();
    for (let n = 0; n < 20; n += 1) {
      const relay = await open();
      await introduce(relay, { token: `made-up-${n}` });
      expect(await outcomeOf(relay)).toBe(4101);
    }
    expect(await enrolled()).toBe(before);
  });
});

describe('R-10: a client without a key', () => {
  it.each<[string, (relay: RawRelay) => void]>([
    ['a hello of a megabyte', (relay) => relay.send({ op: 'hello', features: ['x'.repeat(1_000_000)] })],
    ['a megabyte that is no message yet', (relay) => relay.socket.send('x'.repeat(1_000_000), { fin: false })],
    ['ten thousand pings', (relay) => Array.from({ length: 10_000 }, (_, t) => relay.send({ op: 'ping', t }))],
    [
      'a megabyte of what is not known',
      (relay) => Array.from({ length: 30 }, () => relay.send({ op: 'x'.repeat(40_000) })),
    ],
  ])('closes 4002 for %s', async (_what, attack) => {
    const relay = await open();
    attack(relay);
    expect(await relay.closed).toMatchObject({ code: 4002 });
    expect(await askHonest(scene)).toBe(204);
  });

  it.each<[string, object]>([
    ['an event', { op: 'dispatch', s: 1, t: 'MESSAGE_CREATE', d: {} }],
    ['an announcement', { op: 'ready', s: 1 }],
    ['an answer', { op: 'response', id: 1, status: 200, headers: {}, body: 0 }],
    ['a body', Buffer.from([0, 0, 0, 1, 1])],
  ])('cannot say %s', async (_what, message) => {
    const relay = await open();
    relay.send(message);
    expect(await relay.closed).toMatchObject({ code: 4002 });
  });

  it('gets no compression, whatever it offers', async () => {
    const { relay } = await greet(scene.server.origin, { keys: scene.honest.box.keys }).catch(() => ({ relay: null }));
    expect(relay?.socket.extensions).toBe('');
    scene.honest.box = relay ? { ...scene.honest.box, relay } : scene.honest.box;
  });
});

describe('R-6: a box that is deleted', () => {
  it('is closed at once, during a request and with events on their way', async () => {
    const s = await scene.begin();
    const { relay } = scene.box;
    const told = listenTo(scene.server, scene.guild.id);
    const asked = scene.bot.get(`/guilds/${scene.guild.id}`);
    const { id } = await relay.next('request');
    const d = { guild_id: scene.guild.id, channel_id: scene.guild.channels[0], last_pin_timestamp: null };
    // This socket does not notice that it is closed.
    relay.socket.pause();
    await deleteBox(callOf(scene.server.app, scene.box.owner), scene.box.id);
    for (let round = 0; round < 3; round += 1) expect(await askHonest(scene)).toBe(204);
    for (let n = 1; n <= 100; n += 1) relay.send({ op: 'dispatch', s: s + n, t: 'CHANNEL_PINS_UPDATE', d });
    relay.send({ op: 'response', id, status: 204, headers: {}, body: 0 });
    relay.socket.resume();
    expect(await relay.closed).toMatchObject({ code: 4102 });
    expect((await asked).status).toBe(504);
    expect(told.rest().filter(({ type }) => type === 'CHANNEL_PINS_UPDATE')).toEqual([]);
    const again = await open();
    await introduce(again, { keys: scene.box.keys });
    expect(await outcomeOf(again)).toBe(4101);
    expect((await scene.bot.get(`/guilds/${scene.guild.id}`)).status).toBe(404);
  });
});
