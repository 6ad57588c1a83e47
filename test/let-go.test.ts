import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage } from './harness/garbage.js';
import { startServer } from './harness/server.js';

async function stoppedApp(): Promise<WeakRef<object>> {
  const server = await startServer();
  const app = new WeakRef(server.app);
  await server.stop();
  return app;
}

it('a stopped server can be garbage-collected', async () => {
  const app = await stoppedApp();
  while (app.deref()) {
    // References that a turn of the event loop has used are kept until its end.
    await setImmediate();
    collectGarbage();
  }
  expect(app.deref()).toBeUndefined();
});
