import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { createGuild, invite, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
  [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, bob);
});

const said = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text).first().waitFor();
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function makeChannel(name: string, type = 0): Promise<string> {
  const create = 'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }';
  return (await ada.graphql(create, { input: { guildId: guild.id, name, type } })).createChannel.channel.id;
}

const settingsOf = async (id: string) =>
  (
    await ada.graphql(
      'query ($id: ID!) { channel(id: $id) { name topic rateLimitPerUser bitrate userLimit overwrites parent { id } } }',
      { id },
    )
  ).channel;

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the settings of a channel'), () => {
  it('are changed by a member who manages the channel, and shown at once to other members', async () => {
    const [hers, his] = await Promise.all([
      openPortal(browser, server, ada, { width: 360 }),
      openPortal(browser, server, bob),
    ]);
    const address = `/servers/${guild.id}/channels/${guild.textChannelId}`;
    await Promise.all([hers.open(address), his.open(`${address}/settings`)]);
    await his.page.getByText('You need the “Manage channels” permission.').first().waitFor();
    expect(await his.page.getByRole('button', { name: 'Delete channel' }).isDisabled()).toBe(true);
    await hers.page.getByRole('link', { name: 'Settings', exact: true }).click();
    await hers.page.getByRole('textbox', { name: 'Name' }).fill('lobby');
    await hers.page.getByLabel('Topic').fill('Who goes');
    await hers.page.getByText('Not saved: Name, Topic').waitFor();
    await hers.page.getByLabel('Topic').fill('');
    await hers.page.getByText('Not saved: Name', { exact: true }).waitFor();
    await hers.page.getByLabel('Topic').fill('Who comes in');
    await hers.page.getByLabel('Slow mode').selectOption('10 seconds');
    await hers.page.getByRole('button', { name: 'Save changes' }).click();
    await said(hers.page, 'Saved');
    await his.page.getByRole('heading', { name: 'Settings for lobby' }).waitFor();
    expect(await settingsOf(guild.textChannelId)).toMatchObject({ topic: 'Who comes in', rateLimitPerUser: 10 });
    expect(await overhang(hers.page)).toBeLessThanOrEqual(0);
    expect([hers.faults, his.faults]).toEqual([[], []]);
    await Promise.all([hers.close(), his.close()]);
  });

  it('of a voice channel include its user limit, and show an error at the field if it is not a number', {
    tags: ['slow'],
  }, async () => {
    const category = await makeChannel('Decks', 4);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/channels`);
    await page.getByRole('link', { name: 'Settings for General' }).click();
    await page.getByLabel('User limit').fill('many');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('User limit').fill('5');
    await page.getByLabel('Bitrate').fill('96');
    await page.getByLabel('Category').selectOption('Decks');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await said(page, 'Saved');
    expect(await settingsOf(guild.voiceChannelId)).toMatchObject({
      bitrate: 96_000,
      userLimit: 5,
      parent: { id: category },
    });
    expect(faults).toEqual([]);
    await close();
  });

  it('move the channel, and delete it', { tags: ['slow'] }, async () => {
    const id = await makeChannel('news');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/channels/${id}/settings`);
    const names = page.getByRole('navigation', { name: 'Channels' }).locator('.group').first().locator('li bdi');
    await page.getByRole('button', { name: 'Move up' }).click();
    await expect.poll(() => names.first().textContent()).toBe('news');
    expect(await page.getByRole('button', { name: 'Move up' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Delete channel' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete news?' });
    await question.getByRole('button', { name: 'Delete channel' }).click();
    await page.getByText('Open a channel to read messages').waitFor();
    await expect.poll(() => names.allTextContents()).not.toContain('news');
    expect(faults).toEqual([]);
    await close();
  });

  it('allow and deny permissions by their names, for roles and for members', { tags: ['slow'] }, async () => {
    const id = await makeChannel('bridge');
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360, dark: true });
    await open(`/servers/${guild.id}/channels/${id}/settings`);
    await page.getByLabel('Add a role').selectOption('@everyone');
    const sendOf = (name: string) => page.getByRole('group', { name: `Send messages, for ${name}` });
    await sendOf('@everyone').getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Not saved: Send messages').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await said(page, 'Saved');
    await page.getByText('0 allowed, 1 denied').waitFor();
    await page.getByRole('combobox', { name: 'Add a member' }).fill('bo');
    await page.getByRole('option', { name: 'bob' }).click();
    await sendOf('bob').getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('1 allowed, 0 denied').waitFor();
    const { overwrites } = await settingsOf(id);
    expect(overwrites).toHaveLength(2);
    expect(overwrites).toContainEqual({ id: guild.id, type: 0, allow: '0', deny: '2048' });
    expect(overwrites).toContainEqual({ id: bob.id, type: 1, allow: '2048', deny: '0' });
    await page.locator('summary').getByText('@everyone').click();
    await page.getByRole('button', { name: 'Remove permissions for @everyone' }).click();
    await page.getByText('0 allowed, 1 denied').waitFor({ state: 'detached' });
    expect((await settingsOf(id)).overwrites).toHaveLength(1);
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  });
});
