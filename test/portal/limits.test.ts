import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { axeFaults } from '../harness/axe.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { instanceLog, makeOperator, OPERATOR_MUTATIONS } from '../harness/operators.js';
import { type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

const CREATE = 'mutation { createGuild(input: { name: "Spam" }) { guild { id } } }';

let server: TestServer;
let browser: Browser;
let olga: Person;
let ada: Person;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
  olga = await signUp(server, 'olga');
  await makeOperator(server, olga);
  ada = await signUp(server, 'ada');
});

const limitOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const items = (page: Page, name: string) => limitOf(page, name).getByRole('listitem').locator('p, b').allInnerTexts();

/** With the keyboard only. */
async function fill(page: Page, texts: Record<string, string>, doIt: string): Promise<void> {
  // Toasts are dialogs, too.
  const dialog = page.getByRole('dialog').filter({ has: page.getByLabel('Reason') });
  await dialog.waitFor();
  for (const [label, text] of Object.entries(texts)) {
    const field = dialog.getByLabel(label);
    await field.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
  }
  await dialog.getByRole('button', { name: doIt }).focus();
  await page.keyboard.press('Enter');
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the page of limits'), () => {
  it('changes a limit, adds and removes exceptions, and shows faults at the fields', async () => {
    const { page, faults, open, close } = await openPortal(browser, server, olga);
    await open('/instance/limits');
    const messages = limitOf(page, 'Messages');
    await messages.getByRole('button', { name: 'Change limit' }).press('Enter');
    await fill(page, { 'Limit (in 5 seconds)': '2000', Reason: 'Spam wave' }, 'Change limit');
    await page.getByText('Must be between 0 and 1000.').waitFor();
    await fill(page, { 'Limit (in 5 seconds)': '3' }, 'Change limit');
    await messages.getByText('3 in 5 seconds').waitFor();
    expect(await items(page, 'Messages')).toEqual([
      '3 in 5 seconds',
      'For the whole instance. The default is 5 in 5 seconds.',
    ]);

    await messages.getByRole('button', { name: 'Add exception: Messages' }).press('Enter');
    await fill(page, { For: 'nemo', 'Limit (in 5 seconds)': '50', Reason: 'Known bot' }, 'Add exception');
    await page.getByText('Not found. Enter the username or ID of a person, or the ID of a bot.').waitFor();
    await fill(page, { For: 'ada' }, 'Add exception');
    await messages.getByText('For ada').waitFor();
    await messages.getByRole('button', { name: 'Remove the exception for ada' }).press('Enter');
    await fill(page, { Reason: 'Over' }, 'Remove exception');
    await messages.getByText('For ada').waitFor({ state: 'detached' });
    await messages.getByRole('button', { name: 'Use default: Messages' }).press('Enter');
    await fill(page, { Reason: 'Over' }, 'Use default');
    await messages.getByText('For the whole instance, by default.').waitFor();

    await open('/instance/audit?what=limits');
    const log = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem').locator('p:first-child');
    await expect
      .poll(() => log.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^olga changed the limit of messages from 3 to the default/),
        expect.stringMatching(/^olga changed the limit of messages for ada from 50 to the default/),
        expect.stringMatching(/^olga changed the limit of messages for ada from the default to 50/),
        expect.stringMatching(/^olga changed the limit of messages from the default to 3/),
      ]);
    expect((await instanceLog(olga))[1]).toBe('LIMIT_UPDATE | olga | ada | Over');
    expect(faults).toEqual([]);
    await close();
  });

  // The page asks every 5 s.
  it('shows who is limited without a reload, and sets a limit for them', async () => {
    const { page, open, close } = await openPortal(browser, server, olga);
    await open('/instance/limits');
    const limited = limitOf(page, 'Limited now');
    // Refusals of earlier files stay in the memory of the shared server.
    await limited
      .getByText(/^No one was refused\.$|refusal/)
      .first()
      .waitFor();
    expect(await limited.getByText('ada').count()).toBe(0);
    await olga.graphql(OPERATOR_MUTATIONS.setLimit, { input: { kind: 'GUILDS', value: 0, reason: 'spam' } });
    expect((await ada.ask(CREATE)).errors).toHaveLength(1);
    const row = limited.getByRole('listitem').filter({ hasText: 'ada' });
    await row.getByText('Servers: 1 refusal, the last just now').waitFor();
    await row.getByRole('button', { name: 'Set limit for ada: Servers' }).click();
    await fill(page, { 'Limit (servers)': '4', Reason: 'A friend' }, 'Change limit');
    await limitOf(page, 'Servers').getByText('For ada').waitFor();
    expect((await ada.ask(CREATE)).errors).toEqual([]);
    const found = { light: await axeFaults(page), dark: await darkFaults(page), excess: await excessOnPhone(page) };
    expect(found).toEqual({ light: [], dark: [], excess: 0 });
    await close();
  });

  it('is not found by moderators', async () => {
    const mod = await signUp(server, 'mod');
    await makeOperator(server, mod, 'MODERATOR');
    const { page, open, close } = await openPortal(browser, server, mod);
    await open('/instance/limits');
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    expect(await page.getByRole('link', { name: 'Limits' }).count()).toBe(0);
    await close();
  });
});

async function darkFaults(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const faults = await axeFaults(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  return faults;
}

async function excessOnPhone(page: Page): Promise<number> {
  await page.setViewportSize({ width: 360, height: 740 });
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
