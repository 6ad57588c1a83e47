import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { type Front, openFront } from '../harness/front.js';
import { createApplication, createGuild, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { startServer, type TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';
import { socketClient, subscribe } from '../harness/sockets.js';

const NOWHERE = 'http://localhost:9';
const HOME = 'subscription { portalHomeChanged { teamInvitations { id } } }';

let front: Front;
let server: TestServer;
let browser: Browser;
let ada: Person;
beforeAll(async () => {
  front = await openFront();
  server = await startServer({ env: { PUBLIC_URL: front.origin } });
  front.leadTo(server.app.addresses.listeningAt);
  ada = await signUp({ ...server, origin: server.app.addresses.listeningAt }, 'ada');
  if (noBrowser === null) browser = await openBrowser();
});
afterEach(() => {
  front.mend();
  front.leadTo(server.app.addresses.listeningAt);
});
afterAll(async () => {
  await browser?.close();
  front.close();
  await server.stop();
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'without a connection'), () => {
  it('the page keeps what it shows, and requests the rest again automatically', async () => {
    await createApplication(ada, 'Otter bot');
    await createGuild(ada, 'Harbour');
    const { page, open, close } = await openPortal(browser, front, ada);
    const section = (name: string) => page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name });
    const card = (name: string) => page.getByRole('main').getByRole('link', { name });
    await open('/applications');
    await card('Otter bot').waitFor();
    // Hovering loads the file of the page, and only the click requests its data.
    const file = page.waitForResponse(/\/list-/);
    await section('Servers').hover();
    await file;
    await section('Teams').click();
    await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor();
    front.leadTo(NOWHERE);
    front.cut();
    const refused = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/graphql'));
    await section('Applications').click();
    await refused;
    await card('Otter bot').waitFor();
    await section('Servers').click();
    await page.getByRole('alert').getByText('The server could not be reached. Retrying automatically.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    front.leadTo(server.app.addresses.listeningAt);
    await card('Harbour').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await close();
  });

  it('the page notices a dead connection within 10 s, gives up a save, and marks typed text as not saved', {
    tags: ['slow'],
  }, async () => {
    const application = await createApplication(ada, 'Otter bot');
    const { page, open, close } = await openPortal(browser, front, ada);
    await page.clock.install();
    await open(`/applications/${application.id}/general`);
    await page.getByLabel('Description').fill('Swims.');
    await page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Account of ada' }).waitFor();
    const unsaved = page.getByRole('region', { name: 'Unsaved changes' });
    const offline = unsaved.getByText('No connection to the server. Your input is not saved yet');
    expect(await offline.count()).toBe(0);
    front.freeze();
    await page.clock.runFor(10_000);
    await page.getByRole('banner').getByText('Reconnecting…').waitFor();
    await offline.waitFor();
    const save = page.getByRole('button', { name: 'Save changes' });
    await save.click();
    expect(await save.isDisabled()).toBe(true);
    await page.clock.runFor(15_100);
    await page.getByRole('alert').getByText('The server did not respond in time. Your input is still here.').waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Swims.');
    front.cut();
    front.mend();
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000);
        return page.locator('.connection').getAttribute('data-state');
      })
      .toBe('live');
    await offline.waitFor({ state: 'detached' });
    await save.click();
    await save.waitFor({ state: 'detached' });
    await close();
  });

  it('the page notices at once that the browser is offline, also with an unsent message', {
    tags: ['slow'],
  }, async () => {
    const guild = await createGuild(ada, 'Harbour');
    const { page, open, close } = await openPortal(browser, front, ada);
    await open(`/servers/${guild.id}/channels/${guild.textChannelId}`);
    await page.getByLabel(/^Message #/).fill('Ahoy');
    await page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
    await page.context().setOffline(true);
    await page.locator('.connection[data-state=lost]').waitFor();
    await page.getByText('No connection to the server. Your input is not saved yet').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('banner').getByText('Up to date').waitFor();
    expect(await page.getByText('No connection to the server.').count()).toBe(0);
    expect(await page.getByLabel(/^Message #/).inputValue()).toBe('Ahoy');
    await close();
  });

  it('the page opens its socket again after the server had too many sockets of the user', {
    tags: ['slow'],
  }, async () => {
    const bob = await signUp({ ...server, origin: server.app.addresses.listeningAt }, 'bob');
    const application = await createApplication(bob, 'Badger bot');
    const sockets = Array.from({ length: 20 }, () =>
      socketClient({ ...server, origin: server.app.addresses.listeningAt }, { token: bob.token }),
    );
    for (const socket of sockets) await subscribe(socket, HOME);
    const { page, open, close } = await openPortal(browser, front, bob);
    await open(`/applications/${application.id}/general`);
    await page.getByText('Reconnecting…').waitFor();
    await sockets.pop()?.dispose();
    await page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
    await update(bob, application.id, { name: 'Mole bot' });
    await page.getByRole('heading', { level: 1, name: 'Mole bot' }).waitFor();
    await close();
    for (const socket of sockets) await socket.dispose();
  });
});
