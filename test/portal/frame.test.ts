import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { createApplication, createGuild, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createTeam } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
beforeAll(async () => {
  server = await startServer();
  ada = await signUp(server, 'ada');
  await createApplication(ada, 'Otter bot');
  await createTeam(ada, 'Otters');
  await createGuild(ada, 'Harbour');
  if (noBrowser === null) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the frame of every page'), () => {
  it('leads to anything of one’s own by a few letters, with the keyboard alone', async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/account');
    await heading(page, 'Account').waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('OTT');
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Otter botapplication', 'Ottersteam']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await heading(page, 'Otters').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Otters');
    await page.getByRole('button', { name: /^Go to/ }).click();
    await field.fill('zzz');
    await page.getByText('Nothing of yours is called so.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('gives the focus to the heading of the page that was gone to, a link past the bar, and each page its title', async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open();
    await heading(page, 'Home').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#main');
    await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Teams' }).click();
    await heading(page, 'Teams').waitFor();
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Teams');
    await expect.poll(() => page.title()).toBe('Teams – Causeway');
    await page.getByRole('link', { name: 'Otters' }).click();
    await heading(page, 'Otters').waitFor();
    await expect.poll(() => page.title()).toBe('General – Otters – Causeway');
    await page.goBack();
    await heading(page, 'Teams').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
