import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { createApplication, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
beforeAll(async () => {
  server = await startServer();
  ada = await signUp(server, 'ada');
  if (noBrowser === null) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
});

/** Sends a name along with what the form sends, which has no field for it. */
async function shortenName(route: Route): Promise<void> {
  const body = route.request().postDataJSON();
  const input = { ...body.variables.input, name: 'O' };
  await route.continue({ postData: JSON.stringify({ ...body, variables: { input } }) });
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'what is refused is said'), () => {
  it('above the buttons, where the form has no field for it', async () => {
    const { id } = await createApplication(ada, 'Otter bot');
    const { page, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${id}/bot`);
    await page.getByRole('switch', { name: 'Presences' }).click();
    await page.route('/graphql', shortenName);
    await page.getByRole('button', { name: 'Save changes' }).click();
    const alert = page.getByRole('main').getByRole('alert');
    await alert.getByText('name: Must be between 2 and 32 in length.').waitFor();
    await page.unroute('/graphql');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await alert.waitFor({ state: 'detached' });
    await close();
  });

  it('with the id of the request, where the server is at fault', async () => {
    const { page, open, close } = await openPortal(browser, server, ada);
    await open('/teams');
    await page.getByRole('button', { name: 'New team' }).click();
    const dialog = page.getByRole('dialog', { name: 'New team' });
    await dialog.getByLabel('Name').fill('Otters');
    const { writer } = server.app.db;
    await writer.$executeRawUnsafe('ALTER TABLE "Team" RENAME TO "Gone"');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const alert = dialog.getByRole('alert');
    await alert.getByText('Something went wrong on the server.').waitFor();
    const id = (await alert.locator('code').textContent()) ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await alert.getByRole('button', { name: 'Copy request id' }).click();
    await alert.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
    await writer.$executeRawUnsafe('ALTER TABLE "Gone" RENAME TO "Team"');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Otters' }).waitFor();
    await close();
  });

  it('where it was asked for, and not of the page around it', async () => {
    const { id } = await createApplication(ada, 'Badger bot');
    const { page, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${id}/general`);
    await page.getByLabel('Name', { exact: true }).waitFor();
    const { writer } = server.app.db;
    await writer.$executeRawUnsafe('ALTER TABLE "Interaction" RENAME TO "Gone"');
    await page.getByRole('link', { name: 'Interactions' }).click();
    const alert = page.getByRole('main').getByRole('alert');
    // The log's, and that of the numbers above it.
    await alert.getByText('Something went wrong on the server.').nth(1).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Badger bot' }).waitFor();
    await writer.$executeRawUnsafe('ALTER TABLE "Gone" RENAME TO "Interaction"');
    const again = page.getByRole('button', { name: 'Try again' });
    await again.nth(1).click();
    await again.nth(0).click();
    await alert.first().waitFor({ state: 'detached' });
    await close();
  });
});
