import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { createApplication, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the applications'), () => {
  it('show the secrets of a new one once, and lead to its page', async () => {
    const ada = await signUp(server, 'ada');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/applications');
    await page.getByText('No applications yet').waitFor();
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByLabel('Name').fill('Otter bot');
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Secrets for Otter bot' });
    await dialog.waitFor();
    const [botToken = '', clientSecret = ''] = await dialog.locator('code').allTextContents();
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel('I have stored them').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { level: 1, name: 'Otter bot' }).waitFor();
    const kept = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify({ ...localStorage }));
    expect([kept.includes(botToken), kept.includes(clientSecret), botToken.length > 50]).toEqual([false, false, true]);
    expect(faults).toEqual([]);
    await close();
  });

  it('show the changes of another user at once, and keep what is being typed', async () => {
    const bob = await signUp(server, 'bob');
    const application = await createApplication(bob, 'Badger bot');
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/applications/${application.id}`);
    await page.getByLabel('Description').fill('What I type');
    await update(bob, application.id, { name: 'Beaver bot' });
    await page.getByRole('heading', { level: 1, name: 'Beaver bot' }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Beaver bot');
    expect(await page.getByLabel('Description').inputValue()).toBe('What I type');
    await update(bob, application.id, { description: 'Of another tab' });
    await page.getByText('Description was changed to “Of another tab” while you were editing it.').waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('region', { name: 'Notifications' }).getByText('Saved').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
