import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { createApplication, createGuild, install, makeWebhook, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { FOR_A_MINUTE, refuseAnswers } from '../harness/refused-answers.js';
import { ask as send } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { addToTeam, createTeam, transferApplication } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

async function installed(owner: Person) {
  const application = await createApplication(owner, 'Otter bot');
  const guild = await createGuild(owner, 'River');
  await install(owner, application, guild);
  return { application, guild, path: `/applications/${application.id}/webhooks` };
}

async function makeChannel(owner: Person, guildId: string, name: string): Promise<{ channelId: string }> {
  const { createChannel } = await owner.graphql(
    'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }',
    { input: { guildId, name } },
  );
  return { channelId: createChannel.channel.id };
}

const WEBHOOKS = 'query ($id: ID!) { application(id: $id) { webhooks { id name channel { id } } } }';

const rows = (page: Page) => page.getByRole('region', { name: 'Webhooks' }).getByRole('listitem');

const scrollsSideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the webhooks'), () => {
  it('are created, show their URL once, and are listed', async () => {
    const ada = await signUp(server, 'ada');
    const { guild, path } = await installed(ada);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(path);
    await page.getByText('No webhooks yet').waitFor();
    const refused = await refuseAnswers(page, 'Servers', FOR_A_MINUTE);
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'New webhook' });
    await dialog.getByRole('alert').getByText('You are being rate limited.').waitFor();
    await refused.stop();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByLabel('Server').selectOption('River');
    await dialog.getByLabel('Channel').selectOption(guild.textChannelId);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    expect(await dialog.getByLabel('Channel').inputValue()).toBe(guild.textChannelId);
    await dialog.getByLabel('Name').fill('Builds');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const secret = page.getByRole('dialog', { name: 'URL for Builds' });
    const url = (await secret.locator('code').textContent()) ?? '';
    await secret.getByLabel('I have stored it').check();
    await secret.getByRole('button', { name: 'Done' }).click();
    await rows(page).getByText('Builds', { exact: true }).waitFor();
    await page.getByText('1/50').waitFor();
    expect((await send(server, 'POST', `${url}?wait=true`, { json: { content: 'green' } })).status).toBe(200);
    const kept = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify({ ...localStorage }));
    expect([url.startsWith(server.origin), kept.includes(url)]).toEqual([true, false]);
    expect(faults).toEqual([]);
    await close();
  });

  it('are renamed, moved and deleted, and show the changes of another user at once', { tags: ['slow'] }, async () => {
    const bob = await signUp(server, 'bob');
    const { application, guild, path } = await installed(bob);
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(path);
    await page.getByText('No webhooks yet').waitFor();
    await bob.graphql('mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }', {
      input: { applicationId: application.id, channelId: guild.textChannelId, name: 'Builds' },
    });
    await rows(page).first().waitFor();
    await page.getByRole('button', { name: 'Rename or move' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename or move Builds' });
    await dialog.getByLabel('Name').fill('Deployments');
    await dialog.getByLabel('Channel').selectOption(guild.voiceChannelId);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await rows(page).getByText('Deployments', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the webhook Deployments?' });
    await question.getByText('stops working immediately').waitFor();
    await page.keyboard.press('Enter');
    expect(await rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('keep the changes of another user while they are being moved', { tags: ['slow'] }, async () => {
    const gus = await signUp(server, 'gus');
    const { application, guild, path } = await installed(gus);
    await makeWebhook(server, gus, application, guild.textChannelId);
    const { page, faults, open, close } = await openPortal(browser, server, gus);
    await open(path);
    await page.getByRole('button', { name: 'Rename or move' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename or move' });
    await dialog.getByLabel('Channel').selectOption(guild.voiceChannelId);
    const { application: before } = await gus.graphql(WEBHOOKS, { id: application.id });
    await gus.graphql('mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }', {
      input: { webhookId: before.webhooks[0].id, name: 'Theirs' },
    });
    await page.getByRole('dialog', { name: 'Rename or move Theirs' }).waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Theirs');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { application: after } = await gus.graphql(WEBHOOKS, { id: application.id });
    expect(after.webhooks).toMatchObject([{ name: 'Theirs', channel: { id: guild.voiceChannelId } }]);
    const input = { webhookId: before.webhooks[0].id };
    await page.getByRole('button', { name: 'Rename or move' }).click();
    await dialog.getByLabel('Name').fill('Mine');
    await dialog.getByLabel('Channel').selectOption(guild.textChannelId);
    const { channelId } = await makeChannel(gus, guild.id, 'dock');
    await gus.graphql('mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }', {
      input: { ...input, name: 'Theirs again', channelId },
    });
    await dialog.getByText('Name was changed to “Theirs again” while you were editing it.').waitFor();
    await dialog.getByText('Channel was changed to “dock” while you were editing it.').waitFor();
    await gus.graphql('mutation ($input: WebhookIdInput!) { deleteWebhook(input: $input) { id } }', { input });
    await page.getByText('No webhooks yet').waitFor();
    await dialog.getByText('Someone else deleted this item.').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Mine');
    expect(faults).toEqual([]);
    await close();
  });

  it('show that their channel is gone, and fit a small screen', { tags: ['slow'] }, async () => {
    const cal = await signUp(server, 'cal');
    const { application, guild, path } = await installed(cal);
    await makeWebhook(server, cal, application, guild.textChannelId);
    await server.app.db.writer.channel.delete({ where: { id: BigInt(guild.textChannelId) } });
    const { page, faults, open, close } = await openPortal(browser, server, cal, { width: 360, dark: true });
    await open(path);
    await rows(page).getByText('channel deleted or hidden from you').waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });

  it('are shown to a read-only member, with the reason why nothing can be changed', async () => {
    const dan = await signUp(server, 'dan');
    const eve = await signUp(server, 'eve');
    const { application, guild, path } = await installed(dan);
    await makeWebhook(server, dan, application, guild.textChannelId);
    const team = await createTeam(dan);
    await addToTeam(dan, team, eve, 'READ_ONLY');
    await transferApplication(dan, application, team);
    const { page, faults, open, close } = await openPortal(browser, server, eve);
    await open(path);
    await rows(page).getByText("Posts to a server that was deleted or that you're not in").waitFor();
    await page.getByText('You need the developer role.').waitFor();
    for (const name of ['New webhook', 'Rename or move', 'Delete'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });
});
