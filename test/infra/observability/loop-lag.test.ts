import { expect } from 'vitest';
import { watchEventLoop } from '../../../src/infra/observability/loop-lag.js';
import { test } from '../../harness/fixtures.js';
import type { TestServer } from '../../harness/server.js';

let server: TestServer;

test.beforeAll(({ server: shared }) => {
  server = shared;
});

const block = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function blockShown(): Promise<number> {
  const text = await (await fetch(`${server.origin}/metrics`)).text();
  return Number(/^causeway_event_loop_block_seconds (\S+)$/m.exec(text)?.[1]);
}

test('the metric has the longest block of the event loop, and a shorter one after it does not hide it', async () => {
  expect(await blockShown()).toBeGreaterThanOrEqual(0);
  block(400);
  await turn();
  block(50);
  await turn();
  expect(await blockShown()).toBeGreaterThan(0.35);
});

test('a delayed event loop is reported before other work runs', () => {
  const loop = watchEventLoop();
  block(200);
  expect(loop.lagMs()).toBeGreaterThan(150);
  expect(loop.longestBlockMs()).toBeGreaterThan(150);
  loop.stop();
  loop.stop();
});
