import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { createApplication, type Person, signUp } from '../harness/people.js';
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

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
}

async function installOf(person: Person, id: string): Promise<Loose> {
  const { application } = await person.graphql(
    `query ($id: ID!) { application(id: $id) {
      serverInstall userInstall public installUrl defaultInstallSettings { context scopes permissions }
    } }`,
    { id },
  );
  return application;
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the installation page of an application'), () => {
  it('at least one of the two contexts stays on, and the page shows why', { tags: ['slow'] }, async () => {
    const ada = await signUp(server, 'ada');
    const { id } = await createApplication(ada);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${id}/installation`);
    const inServers = page.getByRole('switch', { name: 'Server install' });
    const user = page.getByRole('switch', { name: 'User install' });
    await inServers.waitFor();
    expect([await inServers.isDisabled(), await user.isEnabled()]).toEqual([true, true]);
    await page.getByText('At least one install type must be on.').waitFor();
    await page.getByLabel('Permissions as a number').fill('8');
    await page.getByText('Administrator grants every permission').waitFor();
    await page.getByLabel('Permissions as a number').fill('0');
    expect(await page.getByText('Administrator grants every permission').count()).toBe(0);
    await user.check();
    await inServers.uncheck();
    expect(await user.isDisabled()).toBe(true);
    await save(page);
    const { serverInstall, userInstall } = await installOf(ada, id);
    expect([serverInstall, userInstall]).toEqual([false, true]);
    expect(faults).toEqual([]);
    await close();
  });

  it('the link in the preview is the one that the server builds after saving', async () => {
    const bob = await signUp(server, 'bob');
    const { id } = await createApplication(bob);
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/applications/${id}/installation`);
    const link = page.getByRole('complementary', { name: 'Link and preview' });
    await page
      .getByRole('group', { name: 'Server scopes' })
      .getByRole('checkbox', { name: 'guilds', exact: true })
      .check();
    await page.getByText('Choose by name').click();
    await page.getByRole('searchbox', { name: 'Find a permission' }).fill('kick');
    await page.getByRole('checkbox', { name: 'Kick members' }).check();
    await page.getByRole('checkbox', { name: 'Administrator' }).check();
    expect(await page.getByLabel('Permissions as a number').inputValue()).toBe('10');
    await link.getByText('Includes your unsaved changes.').waitFor();
    const shown = await link.locator('code').textContent();
    await save(page);
    expect(shown).toBe((await installOf(bob, id)).installUrl);
    const picture = link.getByRole('figure', { name: 'Authorization screen preview' });
    expect(await picture.getByRole('listitem').allTextContents()).toContain('Create commands');
    expect(await picture.textContent()).toContain('Bot permissions: Administrator, Kick members.');
    await link.getByRole('button', { name: 'Copy install link' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
    await page.getByRole('button', { name: 'Select none' }).click();
    expect(await page.getByLabel('Permissions as a number').inputValue()).toBe('0');
    expect(faults).toEqual([]);
    await close();
  });

  it('unknown scopes are kept once each, and an invalid one shows an error at its field', {
    tags: ['slow'],
  }, async () => {
    const carl = await signUp(server, 'carl');
    const { id } = await createApplication(carl);
    const { page, faults, open, close } = await openPortal(browser, server, carl);
    await open(`/applications/${id}/installation`);
    const other = page.getByLabel('Another server scope');
    await other.fill('relationships.read');
    await other.press('Enter');
    await other.fill('bot');
    const others = page.getByRole('list', { name: 'Other scopes' });
    await others.getByText('relationships.read').waitFor();
    await other.fill('relationships.read');
    await other.press('Enter');
    await page.getByText('relationships.read is already selected.').waitFor();
    await other.fill('Not A Scope');
    await other.press('Enter');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Scopes can contain only a–z, 0–9, dots, underscores and hyphens.').waitFor();
    expect(await other.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'Remove Not A Scope' }).click();
    await save(page);
    const [settings] = (await installOf(carl, id)).defaultInstallSettings;
    expect(settings.scopes.filter((scope: string) => scope === 'relationships.read')).toEqual(['relationships.read']);
    expect(faults).toEqual([]);
    await close();
  });

  it('the permissions and the custom URL show errors, and keep what was typed', async () => {
    const dora = await signUp(server, 'dora');
    const { id } = await createApplication(dora);
    const { page, faults, open, close } = await openPortal(browser, server, dora);
    await open(`/applications/${id}/installation`);
    await page.getByLabel('Permissions as a number').fill('9'.repeat(33));
    await page.getByRole('combobox', { name: 'Mode' }).selectOption('Custom URL');
    await page.getByRole('textbox', { name: 'Custom URL' }).fill('http://otters.example/');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Permissions are a decimal number of up to 32 digits.').waitFor();
    await page.getByText(/Must be a full URL that starts with https:/).waitFor();
    expect(await page.getByLabel('Permissions as a number').inputValue()).toBe('9'.repeat(33));
    expect(await page.getByRole('textbox', { name: 'Custom URL' }).inputValue()).toBe('http://otters.example/');
    expect(faults).toEqual([]);
    await close();
  });

  it('the page shows no link if the permissions are not a number', { tags: ['slow'] }, async () => {
    const finn = await signUp(server, 'finn');
    const { id } = await createApplication(finn);
    const { page, faults, open, close } = await openPortal(browser, server, finn);
    await open(`/applications/${id}/installation`);
    const link = page.getByRole('complementary', { name: 'Link and preview' });
    await link.locator('code').waitFor();
    await page.getByLabel('Permissions as a number').fill('abc');
    await page.getByText('Permissions are a decimal number of up to 32 digits.').waitFor();
    await link.getByText('To get a link, enter the permissions as a valid number.').waitFor();
    expect(await link.getByRole('link', { name: 'Open link' }).count()).toBe(0);
    await page.getByLabel('Permissions as a number').fill('8');
    await link.getByText(/permissions=8&/).waitFor();
    await open(`/applications/${id}/oauth2`);
    await page.getByRole('group', { name: 'Scopes' }).getByRole('checkbox', { name: 'bot', exact: true }).check();
    await page.getByLabel('Bot permissions as a number').fill('abc');
    await page.getByText('To get a URL, enter the permissions as a valid number.').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('the page warns if a private application cannot be installed because it has no testers', {
    tags: ['slow'],
  }, async () => {
    const eve = await signUp(server, 'eve');
    const { id } = await createApplication(eve);
    const { page, faults, open, close } = await openPortal(browser, server, eve);
    await open(`/applications/${id}/installation`);
    await page.getByText('Anyone can install this application.').waitFor();
    await page.getByRole('switch', { name: 'Public' }).uncheck();
    await page.getByText('This application is private and has no testers, so no one can install it.').waitFor();
    await save(page);
    await eve.graphql(`mutation ($input: InviteTesterInput!) { inviteTester(input: $input) { tester { state } } }`, {
      input: { applicationId: id, email: eve.email },
    });
    await page.getByText('Only testers can install this application (1 accepted).').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('the changes that two users make to different parts at the same time are kept', { tags: ['slow'] }, async () => {
    const fred = await signUp(server, 'fred');
    const { id } = await createApplication(fred);
    const { page, faults, open, close } = await openPortal(browser, server, fred);
    await open(`/applications/${id}/installation`);
    await page.getByLabel('Permissions as a number').fill('1024');
    await update(fred, id, { defaultInstallSettings: [{ context: 'SERVER', scopes: ['identify'] }] });
    await page.getByRole('checkbox', { name: 'identify', checked: true }).first().waitFor();
    await save(page);
    const [settings] = (await installOf(fred, id)).defaultInstallSettings;
    expect(settings).toMatchObject({ scopes: ['identify'], permissions: '1024' });
    expect(faults).toEqual([]);
    await close();
  });
});
