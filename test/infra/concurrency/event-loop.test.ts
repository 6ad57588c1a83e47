import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { forEachYielding, yieldToEventLoop } from '../../../src/infra/concurrency/event-loop.js';
import { eachRound, turnsDuring } from '../../harness/turns.js';

test('work in pieces yields to the event loop before each piece', async () => {
  const done: number[] = [];
  const turns = await turnsDuring(() => forEachYielding(Array(10).keys(), 3, (item) => done.push(item)));
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(turns).toBeGreaterThanOrEqual(4);
});

test('a piece ends before the next one begins', async () => {
  const steps: string[] = [];
  await forEachYielding(['a', 'b'], 1, async (item) => {
    steps.push(`${item} begins`);
    await yieldToEventLoop();
    steps.push(`${item} ends`);
  });
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('one piece runs in a turn, however many works there are, and they alternate', async () => {
  let round = 0;
  const end = eachRound(() => {
    round += 1;
  });
  onTestFinished(end);
  const steps: string[] = [];
  const rounds = new Set<number>();
  const work = (name: string) =>
    forEachYielding([1, 2, 3], 1, (item) => {
      steps.push(`${name}${item}`);
      rounds.add(round);
    });
  await Promise.all([work('a'), work('b'), work('c')]);
  expect(steps).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']);
  expect(rounds.size).toBe(9);
});

test('a new connection waits for fewer pieces than there are connections before it', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  let accepted = 0;
  const all = new Promise<void>((resolve) => {
    server.on('connection', (socket) => {
      socket.destroy();
      accepted += 1;
      if (accepted === 40) resolve();
    });
  });
  const pieces = await turnsDuring(() => {
    for (let n = 0; n < 40; n += 1) connect(port, '127.0.0.1').on('error', () => {});
    return all;
  });
  server.close();
  expect(pieces).toBeLessThan(20);
});
