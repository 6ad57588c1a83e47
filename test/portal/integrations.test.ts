import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
let application: MadeApplication;
beforeAll(async () => {
  server = await startServer();
  if (noBrowser === null) browser = await openBrowser();
  [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, bob);
  application = await createApplication(ada, 'Otter bot');
  await install(ada, application, guild, { permissions: '2048' });
  await createCommand('echo');
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
});

async function createCommand(name: string): Promise<void> {
  await ada.graphql('mutation ($input: CreateCommandInput!) { createCommand(input: $input) { command { id } } }', {
    input: { applicationId: application.id, command: { name, description: 'Says it again' } },
  });
}

const said = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text).first().waitFor();
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the integrations of a server'), () => {
  it('say who may run a command, and why somebody may or may not', async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360 });
    await open(`/servers/${guild.id}/integrations`);
    await page.getByText('Send messages').waitFor();
    await page.getByRole('link', { name: 'Otter bot' }).click();
    await page.getByText('A command’s own list takes the place of the application’s.').waitFor();
    const why = page.getByRole('region', { name: 'Why' });
    await why.getByText('Yes', { exact: true }).waitFor();
    await why.getByRole('combobox', { name: 'Person' }).fill('bo');
    await why.getByRole('option', { name: 'bob' }).click();
    await why.getByText('No', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'List' }).selectOption('/echo');
    await page.getByText('This command has no list of its own').waitFor();
    const everyone = page.getByRole('group', { name: '@everyone' });
    await everyone.getByRole('radio', { name: 'Allow' }).click({ force: true });
    const question = page.getByRole('alertdialog', { name: 'Let everybody run it?' });
    await question.getByRole('button', { name: 'Allow' }).click();
    await said(page, 'Saved');
    await page.reload();
    await page.getByRole('combobox', { name: 'List' }).selectOption('/echo');
    await everyone.getByRole('radio', { name: 'Allow', checked: true }).waitFor();
    await why.getByRole('combobox', { name: 'Person' }).fill('bo');
    await why.getByRole('option', { name: 'bob' }).click();
    await why.getByText('Yes', { exact: true }).waitFor();
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('are taken away by who manages the server, and by nobody else', async () => {
    const his = await openPortal(browser, server, bob, { dark: true });
    await his.open(`/servers/${guild.id}/integrations`);
    await his.page.getByText('Needs the permission “Manage the server”.').waitFor();
    expect(await his.page.getByRole('button', { name: 'Uninstall Otter bot' }).isDisabled()).toBe(true);
    const hers = await openPortal(browser, server, ada);
    await hers.open(`/servers/${guild.id}/integrations`);
    await hers.page.getByRole('button', { name: 'Uninstall Otter bot' }).click();
    await hers.page.getByRole('alertdialog').getByRole('button', { name: 'Uninstall' }).click();
    await hers.page.getByText('No application is installed here.').waitFor();
    expect([his.faults, hers.faults]).toEqual([[], []]);
    await Promise.all([his.close(), hers.close()]);
  });
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'roles and members of a server'), () => {
  it('are made, ranked and given, which another browser shows at once', async () => {
    const [hers, his] = await Promise.all([
      openPortal(browser, server, ada, { width: 360 }),
      openPortal(browser, server, bob),
    ]);
    await Promise.all([hers.open(`/servers/${guild.id}/roles`), his.open(`/servers/${guild.id}/roles`)]);
    await his.page.getByText('Needs the permission “Manage roles”.').first().waitFor();
    await hers.page.getByRole('button', { name: 'New role' }).click();
    const editor = hers.page.getByRole('region', { name: 'Role New role' });
    await editor.getByLabel('Colour').fill('blue');
    await editor.getByLabel('Name', { exact: true }).fill('Pilots');
    await editor.getByLabel('Manage messages').check();
    await hers.page.getByRole('button', { name: 'Save changes' }).click();
    await hers.page.locator('[aria-invalid=true]').waitFor();
    await hers.page.getByLabel('Colour').fill('#0000ff');
    await hers.page.getByRole('button', { name: 'Save changes' }).click();
    await said(hers.page, 'Saved');
    await his.page.getByRole('button', { name: 'Pilots', exact: true }).waitFor();
    await hers.page.getByRole('button', { name: 'New role' }).click();
    await hers.page.getByRole('button', { name: 'Move New role up' }).click();
    await his.page.locator('ol.rows li').first().getByText('New role').waitFor();

    await hers.open(`/servers/${guild.id}/members`);
    await hers.page.getByLabel('Search').fill('bo');
    await hers.page.getByRole('button', { name: 'Manage bob' }).click();
    await hers.page.getByLabel('Pilots').check();
    await hers.page.getByRole('button', { name: 'Save roles' }).click();
    await hers.page.locator('.chips').getByText('Pilots').waitFor();
    await hers.page.getByRole('button', { name: 'Manage bob' }).click();
    expect(await overhang(hers.page)).toBeLessThanOrEqual(0);
    await hers.page.getByRole('button', { name: 'Kick' }).click();
    await hers.page.getByRole('alertdialog').getByRole('button', { name: 'Kick' }).click();
    await hers.page.getByText('Nobody is called so.').waitFor();
    await his.page.getByRole('heading', { name: 'Gone' }).waitFor();
    expect([hers.faults, his.faults]).toEqual([[], []]);
    await Promise.all([hers.close(), his.close()]);
  });
});
