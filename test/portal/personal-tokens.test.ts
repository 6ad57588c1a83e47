import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { askGraphql, codeOf } from '../harness/graphql.js';
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

const askWith = (token: string) =>
  askGraphql(server, '{ applications { id } }', {}, { authorization: `Bearer ${token}` });

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'personal tokens'), () => {
  it('are created in a dialog, shown once, used, and revoked', async () => {
    const ada = await signUp(server, 'ada');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/account');
    await page.getByText('No personal tokens yet.').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    const form = page.getByRole('dialog', { name: 'New personal token' });
    await form.getByRole('button', { name: 'Create token' }).click();
    await form.getByText('Must be between 1 and 80 in length.').waitFor();
    await form.getByLabel('Name').fill('Deploy job');
    await form.getByLabel('Expires').selectOption('in 30 days');
    await form.getByRole('button', { name: 'Create token' }).click();
    const shown = page.getByRole('dialog', { name: 'Personal token Deploy job' });
    const token = (await shown.locator('code').textContent()) ?? '';
    expect(token).toMatch(/^cw_pat_/);
    await shown.getByLabel('I have stored it').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Deploy job' });
    await row.getByText('not used yet, expires in 30 days').waitFor();
    expect(await page.content()).not.toContain(token);
    expect((await askWith(token)).data).toEqual({ applications: [] });

    await row.getByRole('button', { name: 'Revoke Deploy job' }).click();
    const question = page.getByRole('alertdialog', { name: 'Revoke the token Deploy job?' });
    await question.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('No personal tokens yet.').waitFor();
    expect(codeOf(await askWith(token))).toBe('UNAUTHENTICATED');
    expect(faults).toEqual([]);
    await close();
  });
});
