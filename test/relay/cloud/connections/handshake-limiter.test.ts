import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { HandshakeLimiter } from '../../../../src/relay/cloud/connections/handshake-limiter.js';
import { openRelay, type RawRelay } from '../../../harness/raw-relay.js';
import { startServer } from '../../../harness/server.js';

const PER_ADDRESS = 64;
const ALL = 2_048;

const open = (count: number) => Array.from({ length: count }, () => new Duplex());
const closed = (sockets: Duplex[]) => sockets.flatMap((socket, n) => (socket.destroyed ? [n] : []));

test('the limiter closes the oldest connection of an address that has too many, and no other', () => {
  const handshakes = new HandshakeLimiter(true);
  const [other] = open(1) as [Duplex];
  handshakes.take('198.51.100.2', other);
  const sockets = open(PER_ADDRESS + 2);
  for (const socket of sockets) handshakes.take('198.51.100.1', socket);
  expect(closed(sockets)).toEqual([0, 1]);
  expect(other.destroyed).toBe(false);
});

test('the limiter closes the oldest connection of all when there are too many in total', () => {
  const newcomers = new HandshakeLimiter(true);
  const sockets = open(ALL + 1);
  for (const [n, socket] of sockets.entries()) newcomers.take(`198.51.100.${n % PER_ADDRESS}`, socket);
  expect(closed(sockets)).toEqual([0]);
});

test('the limiter stops counting a connection that proved its key or is closed', () => {
  const newcomers = new HandshakeLimiter(true);
  const sockets = open(PER_ADDRESS + 1);
  for (const [n, socket] of sockets.entries()) {
    const release = newcomers.take('198.51.100.1', socket);
    if (n === 0) {
      release();
      release();
    }
  }
  expect(closed(sockets)).toEqual([]);
});

test('the limiter has no limit for an address if rate limits are off', () => {
  const newcomers = new HandshakeLimiter(false);
  const sockets = open(PER_ADDRESS + 1);
  for (const socket of sockets) newcomers.take('198.51.100.1', socket);
  expect(closed(sockets)).toEqual([]);
});

test('a box gets in while its address has the maximum of silent connections', { tags: ['slow'] }, async () => {
  const server = await startServer({ env: { RATE_LIMITS: 'on' } });
  try {
    const silent: RawRelay[] = [];
    for (let n = 0; n < PER_ADDRESS; n += 1) silent.push(await openRelay(server.origin));
    const box = await openRelay(server.origin);
    expect((await silent[0]?.closed)?.code).toBe(1006);
    box.send({ op: 'hello', versions: [1], features: [], software: 'test', key: 'A'.repeat(43), instance: 'i' });
    expect(await box.next('challenge')).toMatchObject({ version: 1 });
    for (const { socket } of [...silent, box]) socket.terminate();
  } finally {
    await server.stop();
  }
});
