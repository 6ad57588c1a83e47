import type { Browser, Page, Request } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { hearing, holdAnswer } from '../harness/held-answers.js';
import { PIXEL } from '../harness/images.js';
import { createApplication, signUp } from '../harness/people.js';
import { noteHeadings, openPortal } from '../harness/portal.js';
import { FOR_A_MINUTE, refuseAnswers } from '../harness/refused-answers.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';
import { addToTeam, createTeam, transferApplication } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

const TABS = ['General', 'Installation', 'OAuth2', 'Bot'];

function mutationsOf(page: Page): Record<string, unknown>[] {
  const inputs: Record<string, unknown>[] = [];
  page.on('request', (request) => {
    const asked = askedBy(request);
    if (asked?.query.startsWith('mutation')) inputs.push(asked.variables.input);
  });
  return inputs;
}

function askedBy(request: Request): { query: string; variables: { input: Record<string, unknown> } } | null {
  if (request.method() !== 'POST' || !request.url().endsWith('/graphql')) return null;
  const text = request.postData() ?? '';
  return text.startsWith('{') ? JSON.parse(text) : null;
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the settings of an application'), () => {
  it('send only changed fields, and are no draft after they are saved', async () => {
    const ada = await signUp(server, 'ada');
    const { id } = await createApplication(ada, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const inputs = mutationsOf(page);
    const untilHeard = hearing(page);
    await open(`/applications/${id}/general`);
    // A first state that arrives only during the mutation would be shown again after it, until the update arrives.
    await untilHeard('applicationChanged');
    await page.getByLabel('Name').fill('  Beaver bot ');
    await save(page);
    expect(await page.getByLabel('Name').inputValue()).toBe('Beaver bot');
    expect(inputs).toEqual([{ applicationId: id, name: '  Beaver bot ' }]);
    expect(faults).toEqual([]);
    await close();
  });

  it('show an error at its field, which takes the focus, and keep what was typed', async () => {
    const bob = await signUp(server, 'bob');
    const { id } = await createApplication(bob, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/applications/${id}/general`);
    await page.getByLabel('Name').fill('x');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('[aria-invalid=true]:focus').waitFor();
    expect(await page.locator(':focus').inputValue()).toBe('x');
    expect(await page.locator('.fault').allTextContents()).toContain('Must be between 2 and 32 in length.');
    expect(faults).toEqual([]);
    await close();
  });

  it('keep text that is too long, count it as the server does, and are not sent until it fits', {
    tags: ['slow'],
  }, async () => {
    const cleo = await signUp(server, 'cleo');
    const { id } = await createApplication(cleo, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, cleo);
    const inputs = mutationsOf(page);
    await open(`/applications/${id}/general`);
    const description = page.getByLabel('Description');
    await description.fill('🦦'.repeat(403));
    await page.getByText('403/400 characters.').waitFor();
    await page.getByText('3 characters too long.').waitFor();
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Control+s');
    await page.locator('textarea[aria-invalid=true]:focus').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    expect(inputs).toEqual([]);
    await description.fill('🦦'.repeat(400));
    await save(page);
    expect([await description.inputValue(), inputs.length]).toEqual(['🦦'.repeat(400), 1]);
    expect(faults).toEqual([]);
    await close();
  });

  it('show one notice after saving, however often they are saved', { tags: ['slow'] }, async () => {
    const dave = await signUp(server, 'dave');
    const { id } = await createApplication(dave, 'Otter bot');
    const { page, open, close } = await openPortal(browser, server, dave);
    await open(`/applications/${id}/general`);
    for (const name of ['Beaver bot', 'Badger bot']) {
      await page.getByLabel('Name').fill(name);
      await save(page);
    }
    const said = page.getByRole('region', { name: 'Notifications' }).getByText('Saved', { exact: true });
    await said.waitFor();
    expect(await said.count()).toBe(1);
    await close();
  });

  it('send nothing by keyboard while it is too early to try again', { tags: ['slow'] }, async () => {
    const finn = await signUp(server, 'finn');
    const { id } = await createApplication(finn, 'Otter bot');
    const { page, open, close } = await openPortal(browser, server, finn);
    await open(`/applications/${id}/general`);
    await page.getByLabel('Name').fill('Beaver bot');
    const refused = await refuseAnswers(page, 'UpdateApplication', FOR_A_MINUTE);
    await page.keyboard.press('Control+s');
    await page.getByText(/You can try again in \d+ s\./).waitFor();
    expect(await page.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true);
    await page.keyboard.press('Control+s');
    expect(await page.getByLabel('Name').inputValue()).toBe('Beaver bot');
    expect(refused.count()).toBe(1);
    await close();
  });

  it('accept an image as the icon, show it before it is saved, and clear it', { tags: ['slow'] }, async () => {
    const carl = await signUp(server, 'carl');
    const { id } = await createApplication(carl, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, carl);
    await open(`/applications/${id}/general`);
    const icon = page.getByLabel('Icon', { exact: true });
    await icon.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no image') });
    await page.getByText('Choose a PNG, JPEG, GIF or WebP image.').waitFor();
    await icon.setInputFiles({ name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no image') });
    await page.locator('img.image-preview[src^="blob:"]').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText(/^Must be a PNG, JPEG, GIF or WebP image/).waitFor();
    await icon.setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer: PIXEL });
    await save(page);
    await page.locator('img.image-preview[src*="/cdn/app-icons/"]').waitFor();
    await page.locator('header.noun img').waitFor();
    await page.getByRole('button', { name: 'Clear Icon' }).click();
    await save(page);
    await page.locator('header.noun img').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('move the application to a team for good after its name is typed', { tags: ['slow'] }, async () => {
    const dora = await signUp(server, 'dora');
    const eve = await signUp(server, 'eve');
    const { id } = await createApplication(dora, 'Otter bot');
    await createTeam(dora, 'Builders');
    const foreign = await createTeam(eve, 'Foreign');
    await addToTeam(eve, foreign, dora, 'DEVELOPER');
    const { page, faults, open, close } = await openPortal(browser, server, dora);
    await open(`/applications/${id}/general`);
    const refused = await refuseAnswers(page, 'TeamsToOwn', FOR_A_MINUTE);
    await page.getByRole('button', { name: 'Transfer to a team' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Transfer Otter bot to a team?' });
    await dialog.getByRole('alert').getByText('You are being rate limited.').waitFor();
    await refused.stop();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('Bot token, client secret, OAuth2 tokens and webhooks stay valid.').waitFor();
    await dialog.getByLabel('Team').selectOption('Builders');
    expect(await dialog.getByLabel('Team').locator('option').allTextContents()).toEqual(['Choose a team', 'Builders']);
    const doIt = dialog.getByRole('button', { name: 'Transfer' });
    expect(await doIt.isDisabled()).toBe(true);
    await dialog.getByLabel("Type the application's name").fill('Otter bot');
    await doIt.click();
    await page.getByRole('banner').or(page.locator('header.noun')).getByText('Owned by Builders').waitFor();
    const off = page.getByRole('button', { name: 'Transfer to a team' });
    expect([
      await off.isDisabled(),
      await page.getByText("Team applications can't be transferred.").isVisible(),
    ]).toEqual([true, true]);
    expect(faults).toEqual([]);
    await close();
  });

  it('delete the application after its name is typed, and lead to the list', async () => {
    const fred = await signUp(server, 'fred');
    const { id } = await createApplication(fred, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, fred);
    const untilHeard = hearing(page);
    await open(`/applications/${id}/general`);
    await page.getByRole('button', { name: 'Delete application' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete Otter bot?' });
    await dialog.getByLabel("Type the application's name").fill('otter bot');
    expect(await dialog.getByRole('button', { name: 'Delete application' }).isDisabled()).toBe(true);
    await dialog.getByLabel("Type the application's name").fill('Otter bot');
    const headings = await noteHeadings(page);
    const held = await holdAnswer(page, 'mutation DeleteApplication(');
    await dialog.getByRole('button', { name: 'Delete application' }).click();
    await untilHeard('NOT_FOUND');
    held.release();
    await page.getByText('No applications yet').waitFor();
    expect(await headings()).toEqual(['Otter bot', 'Applications']);
    expect(faults).toEqual([]);
    await close();
  });

  it('request only the further data of each tab, and show the changes of another user there', {
    tags: ['slow'],
  }, async () => {
    const gina = await signUp(server, 'gina');
    const { id } = await createApplication(gina, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, gina);
    await open(`/applications/${id}/general`);
    await page.getByRole('button', { name: 'Delete application' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) asked.push(JSON.parse(request.postData() ?? '{}').operationName);
    });
    for (const tab of TABS) {
      await page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name: tab }).click();
      await page.waitForFunction((title) => document.title.startsWith(title), `${tab} – `);
    }
    await update(gina, id, { privilegedIntents: ['PRESENCES'] });
    await page.getByRole('switch', { name: 'Presences', checked: true }).waitFor();
    expect(asked).toEqual(['BotSessions']);
    expect(faults).toEqual([]);
    await close();
  });

  it('are disabled with the reason for a read-only member', { tags: ['slow'] }, async () => {
    const [hugo, ines] = [await signUp(server, 'hugo'), await signUp(server, 'ines')];
    const application = await createApplication(hugo, 'Otter bot');
    const team = await createTeam(hugo, 'Readers');
    await addToTeam(hugo, team, ines, 'READ_ONLY');
    await transferApplication(hugo, application, team);
    await update(hugo, application.id, { redirectUris: ['https://otter.example/'] });
    const { page, faults, open, close } = await openPortal(browser, server, ines);
    await open(`/applications/${application.id}/general`);
    const reasonOf = async (name: string) => {
      const button = page.getByRole('button', { name });
      const note = await button.getAttribute('aria-describedby');
      return [await button.isDisabled(), await page.locator(`[id="${note}"]`).textContent()];
    };
    expect(await reasonOf('Delete application')).toEqual([true, 'You need the owner role.']);
    expect(await reasonOf('Transfer to a team')).toEqual([true, "Team applications can't be transferred."]);
    for (const tab of TABS) {
      await page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name: tab }).click();
      await page.waitForFunction((title) => document.title.startsWith(title), `${tab} – `);
      await page.locator('form').getByText('You need the developer role.').waitFor();
      const fields = await page.locator('form :is(input, select, textarea, button)').all();
      expect(await Promise.all(fields.map((field) => field.isEnabled()))).not.toContain(true);
    }
    expect(await reasonOf('Reset bot token')).toEqual([true, 'You need the developer role.']);
    expect(faults).toEqual([]);
    await close();
  });

  it.each([[false], [true]])('fit the screen of a phone, dark: %s', { tags: ['slow'] }, async (dark) => {
    const owner = await signUp(server, dark ? 'jack' : 'kate');
    const { id } = await createApplication(owner, 'Otter bot');
    await update(owner, id, {
      redirectUris: [`https://otter.example/${'long'.repeat(40)}`],
      description: 'W'.repeat(400),
      userInstall: true,
    });
    const { page, faults, open, close } = await openPortal(browser, server, owner, { width: 360, dark });
    for (const tab of TABS) {
      await open(`/applications/${id}/${tab.toLowerCase()}`);
      await page.locator('section.card h2').first().waitFor();
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), tab).toBe(360);
    }
    expect(faults).toEqual([]);
    await close();
  });
});
