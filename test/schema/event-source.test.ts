import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { nextSubscription } from '../harness/listeners.js';
import { signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createTeam, renameTeam } from '../harness/teams.js';

describe.skipIf(noBrowser)(needing(noBrowser, 'EventSource in a browser'), () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('subscribes on a page of this origin with the session cookie alone', async () => {
    const ada = await signUp(server, 'ada');
    const team = await createTeam(ada, 'Otters');
    const context = await browser.newContext();
    const [name = '', value = ''] = ada.cookie.split('=');
    await context.addCookies([{ name, value, url: server.origin, httpOnly: true, sameSite: 'Lax' }]);
    const page = await context.newPage();
    await page.goto(`${server.origin}/healthz`);
    const listening = nextSubscription(server);
    const query = `subscription { teamChanged(teamId: "${team.id}") { name } }`;
    const heard = page.evaluate(
      (address) =>
        new Promise((resolve) => {
          const source = new EventSource(address);
          source.addEventListener('next', (event) => {
            source.close();
            resolve(JSON.parse(event.data));
          });
          source.onerror = () => resolve(`refused, ready state ${source.readyState}`);
        }),
      `/graphql?${new URLSearchParams({ query })}`,
    );
    await Promise.race([listening.begun, heard]);
    listening.forget();
    await renameTeam(ada, team, 'Badgers');
    expect(await heard).toEqual({ data: { teamChanged: { name: 'Badgers' } } });
    await context.close();
  });
});
