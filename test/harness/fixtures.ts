import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { test as base } from 'vitest';
import { noBrowser, openBrowser } from './browser.js';
import { emptyDatabase } from './empty-database.js';
import { startServer, type TestServer } from './server.js';

/**
 * `test` with shared fixtures of a worker. A file gets them in `test.beforeAll(({ server }) => …)`.
 * - `server`: a plain server. When the file begins, its database has the content of a new one, and its data folder has
 *   no uploads. A file starts its own with `startServer` if it changes settings, counts what a process holds, replaces
 *   a part of `app`, breaks something or stops a server.
 * - `browser`: Chromium. Each test opens its own context. Tests that need it are skipped if there is none.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one uses.
  .extend('workerServer', { scope: 'worker' }, async ({}, { onCleanup }): Promise<TestServer> => {
    const server = await step('starting it', startServer());
    onCleanup(() => server.stop());
    return server;
  })
  .extend('server', { scope: 'file' }, async ({ workerServer }, { onCleanup }): Promise<TestServer> => {
    const { app } = workerServer;
    await step('emptying its database', emptyDatabase(app.db));
    await step('reading its limits', app.instanceLimits.load());
    await step('removing its uploads', rm(join(app.config.dataDir, 'blobs'), { recursive: true, force: true }));
    const parts = { ...app };
    onCleanup(() => {
      const replaced = Object.entries(parts).flatMap(([name, part]) => (Reflect.get(app, name) === part ? [] : [name]));
      Object.assign(app, parts);
      if (replaced.length > 0) throw new Error(`A file replaced parts of the shared server: ${replaced.join(', ')}.`);
    });
    return workerServer;
  })
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one uses.
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }): Promise<Browser> => {
    if (noBrowser !== null) return undefined as never;
    const browser = await openBrowser();
    onCleanup(() => browser.close());
    return browser;
  });

export const it = test;

/**
 * Time limit of a step of preparing the shared server, in milliseconds. It is shorter than the time limit of a hook.
 */
const STEP_MS = 45_000;

/**
 * Fails with the name of a step that never ends, and with what the process waits for. Vitest only reports that a hook
 * timed out, and gives the same unsettled fixture to every later file of the worker.
 */
async function step<T>(name: string, work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = setTimeout(STEP_MS, null, { ref: false, signal: stop.signal }).then(() => {
    const resources = process.getActiveResourcesInfo().join(', ');
    throw new Error(
      `Preparing the shared server: ${name} took more than ${STEP_MS} ms. The process waits for: ${resources}.`,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
    late.catch(() => {});
  }
}
