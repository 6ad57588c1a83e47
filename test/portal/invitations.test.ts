import type { Browser } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { makeOperator } from '../harness/operators.js';
import { type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
let olga: Person;
it.beforeAll(async ({ browser: chromium }) => {
  browser = chromium;
  server = await startServer();
  olga = await signUp(server, 'olga');
  await makeOperator(server, olga);
  server.app.config.registration = 'invite';
});
afterAll(() => server.stop());

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'invitations'), () => {
  // The password of the sign-up is hashed.
  it('are made by an operator, used once by a newcomer, and revoked', { tags: ['slow'] }, async () => {
    const operator = await openPortal(browser, server, olga);
    const { page } = operator;
    await operator.open('/instance/invitations');
    await page.getByText('Only people with an invitation can sign up on this instance.').waitFor();
    await page.getByRole('button', { name: 'New invitation' }).click();
    await page.getByLabel('Note').fill('For Nia');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const link = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'For Nia' });
    await row.getByText('used 0 of 1').waitFor();

    const newcomer = await openPortal(browser, server, null);
    await newcomer.page.goto(link);
    await newcomer.page.getByLabel('Username').fill('nia');
    await newcomer.page.getByLabel('E-mail address').fill('nia@people.example');
    await newcomer.page.getByLabel('Password').fill('correct horse');
    expect(await newcomer.page.getByLabel('Invitation').inputValue()).toBe(new URL(link).hash.slice(1));
    await newcomer.page.getByRole('button', { name: 'Sign up' }).click();
    await newcomer.page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign up' }).waitFor();
    await newcomer.close();

    const late = await openPortal(browser, server, null);
    await late.page.goto(link);
    await late.page.getByLabel('Username').fill('tom');
    await late.page.getByLabel('E-mail address').fill('tom@people.example');
    await late.page.getByLabel('Password').fill('correct horse');
    await late.page.getByRole('button', { name: 'Sign up' }).click();
    await late.page.getByText('This invitation is unknown, has expired or was used up.').waitFor();
    await late.close();

    await page.reload();
    await row.getByText('used 1 of 1').waitFor();
    await row.getByRole('button', { name: 'Revoke the invitation For Nia' }).click();
    await page.getByRole('button', { name: 'Revoke invitation' }).click();
    await page.getByText('No invitations yet.').waitFor();
    expect(operator.faults).toEqual([]);
    await operator.close();
  });

  it('are not asked for if the registration is closed', async () => {
    server.app.config.registration = 'closed';
    const { page, open, close } = await openPortal(browser, server, null);
    await open('/sign-up');
    await page.getByText('This instance does not accept new accounts.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await close();
    server.app.config.registration = 'invite';
  });
});
