import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { axeFaults } from '../harness/axe.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { makeOperator } from '../harness/operators.js';
import { createApplication, createGuild, type Person, sendMessage, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createTeam } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

const button = (part: Page | Locator, name: string) => part.getByRole('button', { name, exact: true });

async function tabTo(page: Page, opener: Locator): Promise<void> {
  const focused = opener.and(page.locator(':focus'));
  for (let key = 0; key < 60 && (await focused.count()) === 0; key += 1) await page.keyboard.press('Tab');
  await focused.waitFor();
}

async function requireFit(page: Page): Promise<void> {
  const [content, width] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(content).toBeLessThanOrEqual(width ?? 0);
}

const scheduledAt = async ({ id }: Person) =>
  (await server.app.db.reader.authUser.findUnique({ where: { userId: BigInt(id) } }))?.deletionAt;

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the deletion'), () => {
  it('of the own account names and links what is in the way, on a narrow screen', async () => {
    const zoe = await signUp(server, 'zoe');
    await createGuild(zoe, 'Harbour');
    await createTeam(zoe, 'Otters');
    await createApplication(zoe, 'Their bot');
    const { page, faults, open, close } = await openPortal(browser, server, zoe, { width: 360, dark: true });
    await open('/account');
    const section = page.getByRole('region', { name: 'Delete my account' });
    const list = section.getByRole('list', { name: 'What you own' });
    await list.waitFor();
    expect(await list.getByRole('listitem').allInnerTexts()).toEqual(['Harbour (server)', 'Otters (team)']);
    await section.getByText('Your application is deleted, too.').waitFor();
    expect(await button(section, 'Delete my account').count()).toBe(0);
    await requireFit(page);
    expect(await axeFaults(page)).toEqual([]);
    await list.getByRole('link', { name: 'Otters' }).click();
    await page.getByRole('heading', { level: 1, name: 'Otters' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  // The password is hashed twice.
  it('of the own account works with the keyboard, and every page offers to keep it', { tags: ['slow'] }, async () => {
    const yve = await signUp(server, 'yve');
    const { page, faults, open, close } = await openPortal(browser, server, yve, { width: 360 });
    await open('/account');
    const section = page.getByRole('region', { name: 'Delete my account' });
    await button(section, 'Delete my account').waitFor();
    await tabTo(page, button(section, 'Delete my account'));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
    await dialog.getByLabel('Current password').and(page.locator(':focus')).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await dialog.getByText('The password is incorrect.').waitFor();
    await dialog.getByLabel('Current password').fill(yve.password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const notice = page.getByRole('region', { name: 'Deletion of your account' });
    await notice.waitFor();
    await section.getByText('Your account will be deleted on').waitFor();
    expect(await scheduledAt(yve)).toBeInstanceOf(Date);
    expect(await axeFaults(page)).toEqual([]);
    await requireFit(page);
    await open('/teams');
    await tabTo(page, button(notice, 'Keep my account'));
    await page.keyboard.press('Enter');
    await notice.waitFor({ state: 'detached' });
    expect(await scheduledAt(yve)).toBeNull();
    await open('/account');
    await button(section, 'Delete my account').waitFor();
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([]);
    await close();
  });

  it('of a person shows what goes, asks for the name, and shows its progress', { tags: ['slow'] }, async () => {
    const olga = await signUp(server, 'olga');
    await makeOperator(server, olga);
    const eve = await signUp(server, 'eve');
    const guild = await createGuild(eve, 'Garden');
    await sendMessage(eve, guild.textChannelId, 'ahoy');
    const { page, faults, open, close } = await openPortal(browser, server, olga, { width: 360 });
    await open(`/instance/people/${eve.id}`);
    await button(page, 'Delete…').waitFor();
    await tabTo(page, button(page, 'Delete…'));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete eve?' });
    await dialog.getByText('1 message in 1 server and in direct channels').waitFor();
    await dialog.getByText(/^Required: 1 server, also for the other members\./).waitFor();
    const remove = button(dialog, 'Delete');
    await dialog.getByLabel('Reason').fill('spam');
    await dialog.getByLabel('Username').fill('eve');
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole('switch', { name: 'Delete what they own, too' }).press('Space');
    await dialog.getByLabel('Username').fill('Eve');
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByLabel('Username').fill('eve');
    await requireFit(page);
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByLabel('Username').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Deleted User' }).waitFor();
    // No jobs run on the shared server.
    const progress = page.getByRole('status').filter({ hasText: 'The person is' });
    await expect
      .poll(() => progress.innerText())
      .toBe('The person is out. Still to remove: 0 messages and 1 membership.');
    expect(await page.getByRole('progressbar', { name: 'Deletion' }).getAttribute('max')).toBe('1');
    await page.getByText('Reason: spam').waitFor();
    await server.app.db.writer.job.deleteMany({ where: { kind: 'delete-person' } });
    await expect.poll(() => progress.innerText()).toBe('The person is deleted. Nothing is left to remove.');
    expect(await axeFaults(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Deleted User' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
