import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

// Slow because the browser runs a script of 4 MB, which the server compresses first.
describe.skipIf(noBrowser)(needing(noBrowser, 'the API reference'), () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('shows the routes with their summaries, and sends requests only to its own server', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const foreign: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== server.origin)
        foreign.push(request.url());
    });
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`${server.origin}/reference`);
    await page.getByRole('heading', { level: 1, name: 'Causeway' }).waitFor();
    await page.getByText('messages', { exact: true }).first().click();
    await page.getByRole('heading', { name: 'Send a message' }).first().waitFor();
    expect(foreign).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });
});
