import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openSetup } from '../../src/domain/operators/index.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the set-up link'), () => {
  // The password of the sign-in is hashed.
  it('makes a visitor who signs in the operator, once', { tags: ['slow'] }, async () => {
    const [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
    const token = await openSetup(server.app.db);
    const { page, faults, open, close } = await openPortal(browser, server, null);
    await open(`/setup#${token}`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByText('Sign in or sign up to become the operator of this instance.').waitFor();
    expect(page.url()).not.toContain(token);
    // The token survives a change of mind.
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign up' }).waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail address').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Set up this instance' }).waitFor();
    expect(await page.getByRole('link', { name: 'Instance' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Become the operator' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await page.getByRole('link', { name: 'Instance', exact: true }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'ada' }).getByText('operator', { exact: true }).waitFor();
    expect(await page.evaluate(() => JSON.stringify([location.href, sessionStorage]))).not.toContain(token);
    expect(faults).toEqual([]);
    await close();

    const other = await openPortal(browser, server, bob);
    await other.open(`/setup#${token}`);
    await other.page.getByRole('button', { name: 'Become the operator' }).click();
    await other.page.getByText('This set-up link is invalid or was used already.').waitFor();
    expect(await other.page.getByRole('link', { name: 'Instance' }).count()).toBe(0);
    await other.close();
  });

  it('explains an address without the token', async () => {
    const cyd = await signUp(server, 'cyd');
    const { page, faults, open, close } = await openPortal(browser, server, cyd);
    await open('/setup');
    await page.getByText('open the whole link that the instance prints').waitFor();
    expect(await page.getByRole('button', { name: 'Become the operator' }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
