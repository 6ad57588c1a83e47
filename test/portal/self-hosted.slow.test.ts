import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFaults } from '../harness/axe.js';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { PIXEL } from '../harness/images.js';
import { createApplication, install, type MadeApplication, type MadeGuild, uninstall } from '../harness/people.js';
import { openPortal, untilShown } from '../harness/portal.js';
import { type SelfHosted, startSelfHosted } from '../harness/self-hosted.js';
import { needing } from '../harness/skipping.js';

let all: SelfHosted;
let browser: Browser;
let guild: MadeGuild;
let application: MadeApplication;
beforeAll(async () => {
  all = await startSelfHosted();
  guild = await all.makeGuild('Attic');
  application = await createApplication(all.owner, 'Otter bot');
  await install(all.owner, application, guild);
  if (noBrowser === null) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await all.stop();
});

const ON_ITS_BOX = "This server runs on a box. Use the box's own portal for this.";

const pathOf = (section: string) => `/servers/${guild.id}/${section}`;

/** Records the errors of all GraphQL responses that a page gets. */
function noteRefusals(page: Page): Promise<unknown>[] {
  const refused: Promise<unknown>[] = [];
  page.on('response', (response) => {
    if (!response.url().endsWith('/graphql')) return;
    // A page that was left gets no response to its last request.
    const answered = response.json().catch(() => ({}));
    refused.push(answered.then(({ errors }) => errors?.[0]?.message ?? null));
  });
  return refused;
}

const refusalsIn = async (noted: Promise<unknown>[]) => (await Promise.all(noted)).filter((one) => one !== null);

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'a server on a box, in the portal of the cloud,'), () => {
  it.each([
    'general',
    'channels',
    'channels/:channel',
    'channels/:channel/settings',
    'roles',
    'roles/new',
    'emojis',
    'bans',
    'audit',
    'integrations/:application',
  ])('shows under %s that this is done on its box, and sends nothing that is refused', async (section) => {
    const { page, faults, open, close } = await openPortal(browser, all.cloud, all.owner);
    const noted = noteRefusals(page);
    await open(pathOf(section.replace(':channel', guild.textChannelId).replace(':application', application.id)));
    await page.getByText(ON_ITS_BOX).first().waitFor();
    await untilShown(page);
    expect(await page.locator('main .content').locator('input:enabled, textarea:enabled, select:enabled').count()).toBe(
      0,
    );
    expect(await page.getByRole('link', { name: '# general' }).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    expect([await refusalsIn(noted), faults]).toEqual([[], []]);
    await close();
  });

  it('has no commands that the cloud could list', async () => {
    const { page, faults, open, close } = await openPortal(browser, all.cloud, all.owner);
    const noted = noteRefusals(page);
    await open(`/applications/${application.id}/commands?server=%22${guild.id}%22`);
    await page.getByText(ON_ITS_BOX).waitFor();
    expect([await refusalsIn(noted), faults]).toEqual([[], []]);
    await close();
  });

  it('shows its members, and which actions are not possible there', async () => {
    const { page, faults, open, close } = await openPortal(browser, all.cloud, all.owner);
    const noted = noteRefusals(page);
    await open(pathOf('members'));
    await page.getByRole('button', { name: 'Manage keeper' }).click();
    await page.getByRole('dialog').getByText(ON_ITS_BOX).first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Search').fill('kee');
    await page.getByRole('button', { name: 'Manage Otter bot' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: 'Bans' }).count()).toBe(0);
    expect([await refusalsIn(noted), faults]).toEqual([[], []]);
    await close();
  });

  it('shows at once that an application was uninstalled, and uninstalls one', async () => {
    const [second, third] = [
      await createApplication(all.owner, 'Heron bot'),
      await createApplication(all.owner, 'Wren'),
    ];
    const installationId = await install(all.owner, second, guild);
    await install(all.owner, third, guild);
    const { page, faults, open, close } = await openPortal(browser, all.cloud, all.owner);
    await open(pathOf('integrations'));
    await page.getByText('Heron bot').waitFor();
    await uninstall(all.owner, installationId);
    await page.getByText('Heron bot').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Uninstall Wren' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Uninstall' }).click();
    await page.getByRole('link', { name: 'Wren' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Otter bot' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'a server on a box, in the portal of the box,'), () => {
  it('has everything that a cloud server has: channel settings, messages, emojis and an audit log', async () => {
    const { page, faults, open, close } = await openPortal(browser, all.box, all.keeper);
    const noted = noteRefusals(page);
    await open(pathOf(`channels/${guild.textChannelId}`));
    await page.getByLabel(/^Message #/).fill('From the cellar');
    await page.getByLabel(/^Message #/).press('Enter');
    await page.getByRole('log').getByText('From the cellar').waitFor();
    await page.getByRole('region', { name: 'Channel general' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Name', { exact: true }).fill('cellar');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'cellar' }).waitFor();
    await page.getByRole('link', { name: 'Emojis' }).click();
    await page.getByRole('button', { name: 'New emoji' }).click();
    const dialog = page.getByRole('dialog', { name: 'New emoji' });
    const picture = { name: 'otter.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL) };
    await dialog.getByLabel('Image').setInputFiles(picture);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('listitem', { name: 'otter' }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('renamed the channel').waitFor();
    expect(await page.getByText(ON_ITS_BOX).count()).toBe(0);
    expect([await refusalsIn(noted), faults]).toEqual([[], []]);
    await close();
  });
});
