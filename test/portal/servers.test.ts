import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { inviteOf } from '../harness/full-portal.js';
import { hearing, holdAnswer } from '../harness/held-answers.js';
import { PIXEL } from '../harness/images.js';
import { createGuild, invite, signUp } from '../harness/people.js';
import { noteHeadings, openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const said = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text).waitFor();

/** Pixels by which the page is wider than the window. */
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the servers'), () => {
  it('are created, keep what was typed after a refusal, and then appear in the list', async () => {
    const ada = await signUp(server, 'ada');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/servers');
    await page.getByText('Create your first server').waitFor();
    await page.getByRole('button', { name: 'New server' }).click();
    await page.getByLabel('Description').fill('Boats');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator('[aria-invalid=true]')).waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Boats');
    await page.getByLabel('Name').fill('Harbour');
    await page.getByRole('button', { name: 'Create' }).click();
    await heading(page, 'Harbour');
    await page.getByRole('link', { name: 'Servers' }).click();
    await page.getByRole('link', { name: 'Harbour' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are joined by a link that another browser created and copied, until it is revoked', async () => {
    const [bea, cem] = [await signUp(server, 'bea'), await signUp(server, 'cem')];
    const guild = await createGuild(bea, 'Quay');
    const hers = await openPortal(browser, server, bea);
    await hers.open(`/servers/${guild.id}`);
    await hers.page.getByRole('button', { name: 'New invite' }).click();
    await hers.page.getByLabel('Maximum uses').selectOption('5');
    await hers.page.getByRole('button', { name: 'Create' }).click();
    await hers.page.getByText('used 0 of 5 times').waitFor();
    await hers.page.getByRole('button', { name: /^Copy invite link/ }).click();
    await hers.page.getByText('Copied').waitFor();
    const link = await hers.page.evaluate(() => navigator.clipboard.readText());

    const his = await openPortal(browser, server, cem, { width: 360, dark: true });
    await his.open('/servers');
    await his.page.getByRole('button', { name: 'Join with an invite' }).click();
    await his.page.getByRole('textbox', { name: 'Invite' }).fill('nothing-like-it');
    await his.page.getByRole('button', { name: 'Join', exact: true }).click();
    await his.page.locator('[aria-invalid=true]').waitFor();
    await his.page.getByRole('textbox', { name: 'Invite' }).fill(link);
    await his.page.getByText('1 member, invited by bea').waitFor();
    await his.page.getByRole('button', { name: 'Join', exact: true }).click();
    await heading(his.page, 'Quay');
    await hers.page.getByText('used 1 of 5 times').waitFor();
    await his.page.getByText('You need the “Manage server” permission.').waitFor();
    expect(await his.page.getByLabel('Name').isDisabled()).toBe(true);
    expect(await overhang(his.page)).toBeLessThanOrEqual(0);

    await hers.page.getByRole('button', { name: /^Revoke/ }).click();
    await hers.page
      .getByRole('alertdialog', { name: 'Revoke this invite?' })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await hers.page.getByText('No invites yet.').waitFor();
    expect([hers.faults, his.faults]).toEqual([[], []]);
    await Promise.all([hers.close(), his.close()]);
  });

  it('are listed as they are, even if another client creates or deletes them', { tags: ['slow'] }, async () => {
    const hal = await signUp(server, 'hal');
    const { page, faults, open, close } = await openPortal(browser, server, hal);
    await open('/servers');
    await page.getByText('Create your first server').waitFor();
    const guild = await createGuild(hal, 'Breakwater');
    await page.getByRole('link', { name: 'Breakwater' }).waitFor();
    await hal.graphql('mutation ($i: GuildIdInput!) { deleteGuild(input: $i) { id } }', { i: { guildId: guild.id } });
    await page.getByText('Create your first server').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are created in a dialog that stays open after a click outside it', { tags: ['slow'] }, async () => {
    const ida = await signUp(server, 'ida');
    const { page, faults, open, close } = await openPortal(browser, server, ida);
    await open('/servers');
    await page.getByRole('button', { name: 'New server' }).click();
    await page.getByLabel('Name').fill('Lagoon');
    await page.mouse.click(5, 400);
    await page.getByLabel('Description').fill('Calm');
    expect(await page.getByLabel('Name').inputValue()).toBe('Lagoon');
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Lagoon');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New server' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await question.count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('the focus stays where the user put it after an invite was refused', { tags: ['slow'] }, async () => {
    const jon = await signUp(server, 'jon');
    const { page, faults, open, close } = await openPortal(browser, server, jon);
    await open('/servers');
    await page.getByRole('button', { name: 'Join with an invite' }).click();
    await page.getByRole('textbox', { name: 'Invite' }).fill('nothing');
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    const kim = await signUp(server, 'kim');
    const code = await inviteOf(kim, await createGuild(kim, 'Cove'));
    // The preview of the invite comes only after the focus has moved.
    const held: (() => void)[] = [];
    let isHeld = true;
    await page.route('**/graphql', async (route) => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await page.getByRole('textbox', { name: 'Invite' }).fill(code);
    await page.getByRole('button', { name: 'Cancel' }).focus();
    await expect.poll(() => held.length).toBeGreaterThan(0);
    isHeld = false;
    for (const goOn of held) goOn();
    await page.getByText('1 member, invited by').waitFor();
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    expect(faults).toEqual([]);
    await close();
  });

  it('show the changes of their owner to another member at once, and their icon before it is saved', {
    tags: ['slow'],
  }, async () => {
    const [dan, eva] = [await signUp(server, 'dan'), await signUp(server, 'eva')];
    const guild = await createGuild(dan, 'Pier');
    await invite(dan, guild, eva);
    const [his, hers] = await Promise.all([openPortal(browser, server, dan), openPortal(browser, server, eva)]);
    await Promise.all([his.open(`/servers/${guild.id}`), hers.open(`/servers/${guild.id}`)]);
    await heading(hers.page, 'Pier');
    await his.page.getByLabel('Icon').setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer: PIXEL });
    await his.page.locator('img[src^="blob:"]').waitFor();
    await his.page.getByLabel('Name').fill('Jetty');
    await his.page.getByRole('button', { name: 'Save changes' }).click();
    await said(his.page, 'Saved');
    await heading(hers.page, 'Jetty');
    await hers.page.locator('.noun img').waitFor();
    await hers.page.getByRole('button', { name: 'Leave server' }).click();
    await hers.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await hers.page.getByText('Create your first server').waitFor();
    expect([his.faults, hers.faults]).toEqual([[], []]);
    await Promise.all([his.close(), hers.close()]);
  });

  it('accept no icon from a member without the permission, not even a dropped one', { tags: ['slow'] }, async () => {
    const [nils, orla] = [await signUp(server, 'nils'), await signUp(server, 'orla')];
    const guild = await createGuild(nils, 'Slip');
    await invite(nils, guild, orla);
    const [hers, his] = await Promise.all([openPortal(browser, server, nils), openPortal(browser, server, orla)]);
    await Promise.all([hers.open(`/servers/${guild.id}`), his.open(`/servers/${guild.id}`)]);
    const drop = async (page: Page) => {
      await page.getByLabel('Icon').waitFor({ state: 'attached' });
      await page.locator('.image-field').evaluate((field) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['picture'], 'icon.png', { type: 'image/png' }));
        field.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      });
    };
    await drop(hers.page);
    await hers.page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
    await drop(his.page);
    expect(await his.page.getByRole('region', { name: 'Unsaved changes' }).count()).toBe(0);
    expect(await his.page.locator('.button.off').getByText('Choose a file').count()).toBe(1);
    expect([hers.faults, his.faults]).toEqual([[], []]);
    await Promise.all([hers.close(), his.close()]);
  });

  it('are deleted by their owner after the name is typed, and are shown as gone to another member', {
    tags: ['slow'],
  }, async () => {
    const [fay, gus] = [await signUp(server, 'fay'), await signUp(server, 'gus')];
    const guild = await createGuild(fay, 'Mole');
    await invite(fay, guild, gus);
    const [hers, his] = await Promise.all([openPortal(browser, server, fay), openPortal(browser, server, gus)]);
    const untilHeard = hearing(hers.page);
    await Promise.all([hers.open(`/servers/${guild.id}`), his.open(`/servers/${guild.id}`)]);
    await heading(his.page, 'Mole');
    expect(await his.page.getByRole('button', { name: 'Delete server' }).isDisabled()).toBe(true);
    await hers.page.getByRole('button', { name: 'Delete server' }).click();
    const question = hers.page.getByRole('alertdialog', { name: 'Delete Mole?' });
    const doIt = question.getByRole('button', { name: 'Delete server' });
    expect(await doIt.isDisabled()).toBe(true);
    await question.getByLabel("Type the server's name").fill('Mole');
    const headings = await noteHeadings(hers.page);
    const held = await holdAnswer(hers.page, 'mutation DeleteGuild(');
    await doIt.click();
    await heading(his.page, 'Gone');
    await untilHeard('NOT_FOUND');
    held.release();
    await heading(hers.page, 'Servers');
    expect(await headings()).toEqual(['Mole', 'Servers']);
    expect([hers.faults, his.faults]).toEqual([[], []]);
    await Promise.all([hers.close(), his.close()]);
  });
});
