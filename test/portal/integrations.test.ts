import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
  uninstall,
} from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
let application: MadeApplication;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
  [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, bob);
  application = await createApplication(ada, 'Otter bot');
  await install(ada, application, guild, { permissions: '2048' });
  await createCommand('echo');
});

async function createCommand(name: string): Promise<string> {
  const { createCommand: made } = await ada.graphql(
    'mutation ($input: CreateCommandInput!) { createCommand(input: $input) { command { id } } }',
    { input: { applicationId: application.id, command: { name, description: 'Says it again' } } },
  );
  return made.command.id;
}

const key = () => ({ guildId: guild.id, applicationId: application.id });
const say = (entry: object) =>
  ada.graphql('mutation ($input: SetCommandPermissionInput!) { setCommandPermission(input: $input) { __typename } }', {
    input: { ...key(), ...entry },
  });

async function grants() {
  const query = `query ($guildId: ID!, $applicationId: ID!) {
    commandPermissions(guildId: $guildId, applicationId: $applicationId)
  }`;
  return (await ada.graphql(query, key())).commandPermissions;
}

const said = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text).first().waitFor();
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the integrations of a server'), () => {
  it('the page shows who may run a command, and explains why a member may or may not', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360 });
    await open(`/servers/${guild.id}/integrations`);
    await page.getByText('Send messages').waitFor();
    await page.getByRole('link', { name: 'Otter bot' }).click();
    await page.getByText("A command's own permissions override the default for all commands.").waitFor();
    const why = page.getByRole('region', { name: 'Check access' });
    await why.getByText('Yes', { exact: true }).waitFor();
    await why.getByRole('combobox', { name: 'Person' }).fill('bo');
    await why.getByRole('option', { name: 'bob' }).click();
    await why.getByText('No', { exact: true }).waitFor();
    const counts = page.getByRole('region', { name: 'Effective permissions' });
    await counts.getByRole('link', { name: '/echo' }).click();
    await page.getByText('This command has no permissions of its own').waitFor();
    // Enter waits for the names, which are requested a moment after the last key.
    await why.getByRole('combobox', { name: 'Person' }).fill('bob');
    await why.getByRole('combobox', { name: 'Person' }).press('Enter');
    await why.getByText('No', { exact: true }).waitFor();
    const everyone = page.getByRole('group', { name: '@everyone' });
    await everyone.getByRole('button', { name: 'Allow' }).click();
    const question = page.getByRole('alertdialog', { name: 'Allow everyone?' });
    await question.getByRole('button', { name: 'Allow' }).click();
    await said(page, 'Saved');
    await why.getByText('Yes', { exact: true }).waitFor();
    await counts.getByRole('row', { name: '/echo @everyone own permissions' }).waitFor();
    await counts.getByRole('row', { name: "All commands Only the server's owner and administrators" }).waitFor();
    await page.reload();
    await everyone.getByRole('button', { name: 'Allow', pressed: true }).waitFor();
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('the page explains at once the question in its URL', { tags: ['slow'] }, async () => {
    const repeat = await createCommand('repeat');
    const { createChannel } = await ada.graphql(
      'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }',
      { input: { guildId: guild.id, name: 'pier' } },
    );
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const asked = Object.entries({ command: repeat, channel: createChannel.channel.id, person: bob.id });
    const search = asked.map(([name, id]) => `${name}=${encodeURIComponent(JSON.stringify(id))}`).join('&');
    await open(`/servers/${guild.id}/integrations/${application.id}?${search}`);
    const why = page.getByRole('region', { name: 'Check access' });
    await why.getByText('No', { exact: true }).waitFor();
    await expect.poll(() => why.getByRole('combobox', { name: 'Person' }).inputValue()).toBe('bob');
    expect(await why.getByLabel('Command').inputValue()).toBe(repeat);
    expect(await why.getByLabel('Channel').inputValue()).toBe(createChannel.channel.id);
    await why.getByRole('combobox', { name: 'Person' }).fill('');
    await why.getByText('Yes', { exact: true }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('the page shows at once what another user sets, and who may run a command after that', {
    tags: ['slow'],
  }, async () => {
    const hers = await openPortal(browser, server, ada);
    await hers.open(`/servers/${guild.id}/integrations/${application.id}`);
    const bobs = hers.page.getByRole('group', { name: 'bob' });
    await hers.page.getByText('No permissions set.').waitFor();
    await say({ id: bob.id, type: 'USER', allow: true });
    await bobs.getByRole('button', { name: 'Allow', pressed: true }).waitFor();
    await hers.page.getByRole('row', { name: 'All commands 1 member' }).waitFor();
    const all = hers.page.getByRole('group', { name: 'All channels' });
    await all.getByRole('button', { name: 'Allow' }).click();
    await said(hers.page, 'Saved');
    expect(await grants()).toEqual([
      { id: bob.id, type: 2, permission: true },
      { id: String(BigInt(guild.id) - 1n), type: 3, permission: true },
    ]);
    expect(hers.faults).toEqual([]);
    await hers.close();
  });

  it('a choice is saved, and nothing that the arrow keys pass', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/integrations/${application.id}`);
    const channel = page.getByRole('group', { name: '#general' });
    const before = await grants();
    await channel.locator('button, input').first().focus();
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp']) await page.keyboard.press(key);
    await page.getByRole('group', { name: 'bob' }).getByText('Not set').click();
    await said(page, 'Saved');
    expect(await grants()).toEqual(before.filter(({ type }: { type: number }) => type !== 2));
    expect(faults).toEqual([]);
    await close();
  });

  it('are managed by a member who manages the server, even without a role in the application', {
    tags: ['slow'],
  }, async () => {
    const theirs = await createApplication(bob, 'Seal bot');
    const id = await install(ada, theirs, guild);
    await bob.graphql('mutation ($input: CreateCommandInput!) { createCommand(input: $input) { command { id } } }', {
      input: { applicationId: theirs.id, command: { name: 'bark', description: 'Barks' } },
    });
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/integrations/${theirs.id}`);
    await page.getByRole('link', { name: '/bark' }).click();
    await page.getByRole('heading', { name: 'Permissions for /bark' }).waitFor();
    await uninstall(ada, id);
    expect(faults).toEqual([]);
    await close();
  });

  it('show who installed them and when, and appear and disappear without a reload', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/servers/${guild.id}/integrations`);
    await page.getByText(/^Installed .* by ada$/).waitFor();
    const other = await createApplication(ada, 'Heron bot');
    const id = await install(ada, other, guild, { scopes: ['applications.commands'] });
    await page.getByRole('link', { name: 'Heron bot' }).waitFor();
    await uninstall(ada, id);
    await page.getByRole('link', { name: 'Heron bot' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Otter bot' }).click();
    await page.getByText('You need the “Manage server” permission.').first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are uninstalled only by a member who manages the server', { tags: ['slow'] }, async () => {
    const his = await openPortal(browser, server, bob, { dark: true });
    await his.open(`/servers/${guild.id}/integrations`);
    await his.page.getByText('You need the “Manage server” permission.').waitFor();
    expect(await his.page.getByRole('button', { name: 'Uninstall Otter bot' }).isDisabled()).toBe(true);
    const hers = await openPortal(browser, server, ada);
    await hers.open(`/servers/${guild.id}/integrations`);
    await hers.page.getByRole('button', { name: 'Uninstall Otter bot' }).click();
    await hers.page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await hers.page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await hers.page.getByRole('button', { name: 'Uninstall Otter bot' }).click();
    await hers.page.getByRole('alertdialog').getByRole('button', { name: 'Uninstall' }).click();
    await hers.page.getByText('No applications installed.').waitFor();
    expect([his.faults, hers.faults]).toEqual([[], []]);
    await Promise.all([his.close(), hers.close()]);
  });
});
