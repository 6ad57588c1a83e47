import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { holdAnswer, holdFile } from '../harness/held-answers.js';
import { createApplication, createGuild, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createTeam } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let otter: { id: string };
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  otter = await createApplication(ada, 'Otter bot');
  await createTeam(ada, 'Otters');
  await createGuild(ada, 'Harbour');
  browser = chromium;
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the frame of every page'), () => {
  it("finds the user's own objects by a few letters, with the keyboard alone", { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/account');
    await heading(page, 'Account').waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('OTT');
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Otter botapplication', 'Ottersteam']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await heading(page, 'Otters').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Otters');
    await page.getByRole('button', { name: /^Go to/ }).click();
    await field.fill('zzz');
    await page.getByText('No matches.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: /^Go to/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.getByRole('link', { name: 'Teams' }).focus();
    await page.keyboard.press('Control+k');
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Teams' }).and(page.locator(':focus')).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps the keys that are pressed before the list has loaded', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const release = await holdFile(page, 'switcher');
    await open('/account');
    await heading(page, 'Account').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Horb');
    for (let key = 0; key < 3; key += 1) await page.keyboard.press('Backspace');
    const typing = page.keyboard.type('arbour', { delay: 5 });
    release();
    await typing;
    const field = page.getByRole('combobox');
    await field.and(page.locator(':focus')).waitFor();
    expect(await field.inputValue()).toBe('Harbour');
    await page.keyboard.press('Home');
    await page.keyboard.press('Delete');
    await page.keyboard.type('H');
    expect(await field.inputValue()).toBe('Harbour');
    await page.keyboard.press('Enter');
    await heading(page, 'Harbour').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('follows Enter that is pressed before the list has loaded, and goes nowhere after Escape', {
    tags: ['slow'],
  }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const release = await holdFile(page, 'switcher');
    await open('/account');
    await page.getByLabel('Current password').focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await page.keyboard.type('secret');
    expect(await page.getByLabel('Current password').inputValue()).toBe('secret');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('harbour');
    await page.keyboard.press('Enter');
    release();
    await heading(page, 'Harbour').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('leaves the focus in a field that the user types in while a page loads', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/teams');
    await heading(page, 'Teams').waitFor();
    const answer = await holdAnswer(page, 'query Application(');
    await page.evaluate((path) => history.pushState({}, '', path), `/portal/applications/${otter.id}/general`);
    await answer.isGiven;
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox').and(page.locator(':focus'));
    await field.waitFor();
    answer.release();
    await page.locator('h1').getByText('Otter bot').waitFor();
    await page.keyboard.type('Harbour');
    expect(await field.inputValue()).toBe('Harbour');
    expect(faults).toEqual([]);
    await close();
  });

  it('moves the focus to the heading of an opened page, has a skip link, and sets the title of each page', async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open();
    await heading(page, 'Home').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#main');
    await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Teams' }).click();
    await heading(page, 'Teams').waitFor();
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Teams');
    await expect.poll(() => page.title()).toBe('Teams – Causeway');
    await page.getByRole('link', { name: 'Otters' }).click();
    await heading(page, 'Otters').waitFor();
    await expect.poll(() => page.title()).toBe('General – Otters – Causeway');
    await page.goBack();
    await heading(page, 'Teams').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('shows Not found in the same way for an impossible id and for a missing one', async () => {
    const { page, open, close } = await openPortal(browser, server, ada);
    const said = async (path: string) => {
      await open(path);
      await heading(page, 'Not found').waitFor();
      return page.getByRole('main').textContent();
    };
    expect(await said('/servers/abc/general')).toBe(await said('/servers/1/general'));
    await close();
  });

  it('shows the GraphQL documents that the pages sent last, for programs that do the same', {
    tags: ['slow'],
  }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${otter.id}/general`);
    await page.getByRole('textbox', { name: 'Description' }).fill('Swims.');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'View as GraphQL' }).click();
    const dialog = page.getByRole('dialog', { name: 'View as GraphQL' });
    const newest = dialog.getByRole('listitem').first();
    await newest.getByText('mutation UpdateApplication', { exact: true }).click();
    const copiedBy = async (name: string) => {
      await newest.getByRole('button', { name, exact: true }).click();
      await newest.getByText('Copied').first().waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const text = await copiedBy('Copy UpdateApplication');
    expect(text).toContain('mutation UpdateApplication($input: UpdateApplicationInput!) {\n  updateApplication');
    const variables = JSON.parse(await copiedBy('Copy variables of UpdateApplication'));
    expect(variables).toEqual({ input: { applicationId: otter.id, description: 'Swims.' } });
    const opened = page.context().waitForEvent('page');
    await newest.getByRole('link', { name: 'Open in GraphiQL' }).click();
    const graphiql = await opened;
    const editors = graphiql.locator('.graphiql-container .view-lines');
    await editors.filter({ hasText: 'Swims.' }).waitFor();
    await editors.filter({ hasText: 'mutation' }).waitFor();
    expect(await graphiql.evaluate(() => JSON.stringify(localStorage))).not.toContain('Swims.');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('shows the open tab on a phone, however long the row of tabs is', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360 });
    const parts = page.getByRole('navigation', { name: 'Application' });
    await open(`/applications/${otter.id}/audit`);
    await heading(page, 'Otter bot').waitFor();
    await expect.poll(() => isWhole(parts.getByRole('link', { name: 'Audit log' }))).toBe(true);
    expect(await isWhole(parts.getByRole('link', { name: 'General' }))).toBe(false);
    await parts.getByRole('link', { name: 'Installation' }).click();
    await expect.poll(() => isWhole(parts.getByRole('link', { name: 'General' }))).toBe(true);
    await open('/boxes');
    await expect
      .poll(() => isWhole(page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Boxes' })))
      .toBe(true);
    expect(faults).toEqual([]);
    await close();
  });
});

/** Whether an element is fully visible, except for a fraction of a pixel. */
function isWhole(element: Locator): Promise<boolean> {
  return element.evaluate(
    (one) =>
      new Promise<boolean>((resolve) => {
        new IntersectionObserver(([seen]) => resolve((seen?.intersectionRatio ?? 0) > 0.99)).observe(one);
      }),
  );
}
