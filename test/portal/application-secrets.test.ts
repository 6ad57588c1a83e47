import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { isInMemory } from '../harness/heap.js';
import { createApplication, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

/** Reads the secret from its dialog and closes the dialog. `isKept`: the page still has the secret. */
async function takeSecret(page: Page, dialog: Locator): Promise<{ secret: string; isKept: boolean }> {
  await dialog.waitFor();
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByLabel('I have stored it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  const kept = await page.evaluate(
    () =>
      document.documentElement.outerHTML + JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]),
  );
  return { secret, isKept: secret === '' || kept.includes(secret) || page.url().includes(secret) };
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'P-6: the secrets of an application'), () => {
  it('a new bot token is made after a question, is shown once, and is announced to other browsers', async () => {
    const ada = await signUp(server, 'ada');
    const { id, botToken } = await createApplication(ada, 'Otter bot');
    const [mine, other] = [await openPortal(browser, server, ada), await openPortal(browser, server, ada)];
    for (const { open } of [mine, other]) await open(`/applications/${id}/bot`);
    await other.page.getByText(`${botToken.slice(-4)}`).waitFor();
    await mine.page.getByRole('button', { name: 'Reset bot token' }).click();
    const question = mine.page.getByRole('alertdialog', { name: 'Reset bot token for Otter bot?' });
    await question.getByText('The current token stops working immediately.').waitFor();
    await mine.page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await mine.page.getByRole('button', { name: 'Reset bot token' }).click();
    await question.getByRole('button', { name: 'Reset bot token' }).click();
    const { secret, isKept } = await takeSecret(
      mine.page,
      mine.page.getByRole('dialog', { name: 'Your new bot token' }),
    );
    expect([isKept, secret === botToken]).toEqual([false, false]);
    const me = await fetch(`${server.origin}/api/v10/users/@me`, { headers: { authorization: `Bot ${secret}` } });
    expect(me.status).toBe(200);
    await other.page.getByText(secret.slice(-4)).waitFor();
    expect([...mine.faults, ...other.faults]).toEqual([]);
    await mine.close();
    await other.close();
  });

  it('a new client secret is made after a question, and is shown once', { tags: ['slow'] }, async () => {
    const bob = await signUp(server, 'bob');
    const { id, clientSecret } = await createApplication(bob, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/applications/${id}/oauth2`);
    await page.getByText(/Created .* by bob, not used yet\./).waitFor();
    await page.getByRole('button', { name: 'Reset client secret' }).click();
    const question = page.getByRole('alertdialog', { name: 'Reset client secret for Otter bot?' });
    await question.getByRole('button', { name: 'Reset client secret' }).click();
    const { secret, isKept } = await takeSecret(page, page.getByRole('dialog', { name: 'Your new client secret' }));
    expect([isKept, secret === clientSecret]).toEqual([false, false]);
    await page.getByText(secret.slice(-4)).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are in no cache and in nothing else that scripts can reach, once another page is open', {
    tags: ['slow'],
    timeout: 120_000,
  }, async () => {
    const ben = await signUp(server, 'ben');
    const { id } = await createApplication(ben, 'Otter bot');
    const { page, open, close } = await openPortal(browser, server, ben);
    await open(`/applications/${id}/bot`);
    await page.getByRole('button', { name: 'Reset bot token' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reset bot token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your new bot token' });
    const token = (await dialog.locator('code').textContent()) ?? '';
    expect(await isInMemory(page, token)).toBe(true);
    await takeSecret(page, dialog);
    await page.getByRole('link', { name: 'General' }).click();
    await page.getByLabel('Description').waitFor();
    expect(await isInMemory(page, token)).toBe(false);
    await close();
  });

  it('a redirect URI shows an error at its row, and an empty one is not sent', async () => {
    const carl = await signUp(server, 'carl');
    const { id } = await createApplication(carl);
    const { page, faults, open, close } = await openPortal(browser, server, carl);
    await open(`/applications/${id}/oauth2`);
    const row = (place: number) => page.getByRole('textbox', { name: `Redirect URI ${place}` });
    await row(1).fill('https://otters.example/back');
    await row(2).fill('https://otters.example/gone');
    await row(3).fill('http://otters.example/open');
    await row(2).fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await row(3).and(page.locator('[aria-invalid=true]')).waitFor();
    expect(await row(3).evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await row(1).getAttribute('aria-invalid')).toBe(null);
    await row(3).fill('http://localhost:3000/open');
    expect(await row(3).getAttribute('aria-invalid')).toBe(null);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
    const { application } = await carl.graphql('query ($id: ID!) { application(id: $id) { redirectUris } }', { id });
    expect(application.redirectUris).toEqual(['https://otters.example/back', 'http://localhost:3000/open']);
    expect(await row(2).inputValue()).toBe('http://localhost:3000/open');
    expect(faults).toEqual([]);
    await close();
  });

  it('the builder of authorization URLs saves nothing', { tags: ['slow'] }, async () => {
    const dora = await signUp(server, 'dora');
    const { id } = await createApplication(dora);
    const { page, faults, open, close } = await openPortal(browser, server, dora);
    await open(`/applications/${id}/oauth2`);
    const builder = page.getByRole('region', { name: 'URL builder' });
    await builder.getByText('Nothing is saved here').waitFor();
    await builder.getByRole('checkbox', { name: 'bot' }).check();
    await builder.getByLabel('Bot permissions as a number').fill('2048');
    await builder.getByRole('button', { name: 'Copy generated URL' }).click();
    const url = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect(url.origin + url.pathname).toBe(`${server.app.addresses.publicUrl}/oauth2/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: id,
      response_type: 'code',
      scope: 'identify bot',
      permissions: '2048',
      integration_type: '0',
    });
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('the code samples connect to this instance, whatever address the portal was opened at', {
    tags: ['slow'],
  }, async () => {
    const eve = await signUp(server, 'eve');
    const { id } = await createApplication(eve);
    const { publicUrl, gatewayUrl } = server.app.addresses;
    const origin = publicUrl.replace('localhost', '127.0.0.1');
    const { page, faults, open, close } = await openPortal(browser, server, eve, { origin });
    await open(`/applications/${id}/bot`);
    await page.getByText(`rest: { api: '${publicUrl}/api' }`).waitFor();
    await page.getByText(`DEFAULT_GATEWAY = yarl.URL('${gatewayUrl}')`).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('the page warns before an intent is turned off that a session uses', { tags: ['slow'] }, async () => {
    const gwen = await signUp(server, 'gwen');
    const { id, botToken } = await createApplication(gwen);
    const bot = await GatewayClient.open(server.origin);
    await bot.ready(botToken, { intents: (1 << 0) | (1 << 8) });
    const { page, faults, open, close } = await openPortal(browser, server, gwen);
    await open(`/applications/${id}/bot`);
    const sessions = page.getByRole('list', { name: 'Gateway sessions' });
    await sessions.getByText('Intents: GUILDS, GUILD_PRESENCES (257)').waitFor();
    await page.getByRole('switch', { name: 'Message content' }).uncheck();
    expect(await page.getByText('Saving closes').count()).toBe(0);
    await page.getByRole('switch', { name: 'Presences' }).uncheck();
    await page.getByText('Saving closes a gateway session that requested Presences (4014).').waitFor();
    expect(faults).toEqual([]);
    await bot.close();
    await close();
  });

  it('a privileged intent stays off if another user turned it off before the user saves', {
    tags: ['slow'],
  }, async () => {
    const fred = await signUp(server, 'fred');
    const { id } = await createApplication(fred);
    const [mine, other] = [await openPortal(browser, server, fred), await openPortal(browser, server, fred)];
    for (const { open } of [mine, other]) await open(`/applications/${id}/bot`);
    await mine.page.getByRole('switch', { name: 'Presences' }).uncheck();
    await other.page.getByRole('switch', { name: 'Message content' }).uncheck();
    await other.page.getByRole('button', { name: 'Save changes' }).click();
    await mine.page.getByRole('switch', { name: 'Message content', checked: false }).waitFor();
    await mine.page.getByRole('button', { name: 'Save changes' }).click();
    await mine.page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
    const { application } = await fred.graphql('query ($id: ID!) { application(id: $id) { privilegedIntents } }', {
      id,
    });
    expect(application.privilegedIntents).toEqual(['GUILD_MEMBERS']);
    expect([...mine.faults, ...other.faults]).toEqual([]);
    await mine.close();
    await other.close();
  });
});
