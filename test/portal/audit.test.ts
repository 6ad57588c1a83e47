import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { hearing, holdAnswer } from '../harness/held-answers.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { startServer, type TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';
import { addToTeam, createTeam, renameTeam, setTeamRole, transferApplication } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  server = await startServer();
  if (noBrowser === null) browser = await openBrowser();
  ada = await signUp(server, 'ada');
  bob = await signUp(server, 'bob');
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
});

const SOON = { timeout: 15_000 };

const rowsOf = (page: Page) => page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');

/** The sentences of the rows that are shown. */
async function sentences(page: Page): Promise<string[]> {
  await rowsOf(page).first().waitFor();
  return rowsOf(page).locator('p:first-child').allInnerTexts();
}

async function resetSecret(person: Person, { id }: Pick<MadeApplication, 'id'>): Promise<void> {
  await person.graphql(`mutation ($input: ApplicationIdInput!) { resetClientSecret(input: $input) { clientSecret } }`, {
    input: { applicationId: id },
  });
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the audit log'), () => {
  it('tells in sentences who did what, newest first, and marks what comes while it is read', async () => {
    const application = await createApplication(ada, 'Otter bot');
    await update(ada, application.id, { name: 'Badger bot' });
    await update(ada, application.id, { public: false, description: 'Digs' });
    await resetSecret(ada, application);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${application.id}/audit`);
    expect(await sentences(page)).toEqual([
      'ada reset the client secret',
      'ada set the description to Digs and turned public installation off',
      'ada changed the name from Otter bot to Badger bot',
      'ada made the application Badger bot',
    ]);
    await update(ada, application.id, { description: '' });
    await page.getByText('1 new entry').waitFor();
    expect(await rowsOf(page).first().innerText()).toMatch(/^ada cleared the description\s*new/);
    expect(faults).toEqual([]);
    await close();
  });

  it('tells what is done while it is being asked for again', async () => {
    const application = await createApplication(ada, 'Heron bot');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const untilHeard = hearing(page);
    await open(`/applications/${application.id}/audit`);
    await rowsOf(page).first().waitFor();
    await untilHeard('Heron bot');
    const held = await holdAnswer(page, 'query ApplicationLog(');
    await update(ada, application.id, { description: 'Wades' });
    await held.isGiven;
    await update(ada, application.id, { description: 'Stalks' });
    await untilHeard('Stalks');
    held.release();
    await page.getByText('2 new entries').waitFor();
    expect((await sentences(page))[0]).toMatch(/^ada changed the description from Wades to Stalks/);
    expect(faults).toEqual([]);
    await close();
  });

  it('tells of a team what was done with it and with its applications', async () => {
    const team = await createTeam(ada, 'Lodge');
    await addToTeam(ada, team, bob, 'READ_ONLY');
    await setTeamRole(ada, team, bob, 'DEVELOPER');
    await renameTeam(ada, team, 'Dam');
    const application = await createApplication(ada, 'Beaver bot');
    await transferApplication(ada, application, team);
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/teams/${team.id}/audit`);
    expect(await sentences(page)).toEqual([
      'ada moved Beaver bot to the team',
      'ada made the application Beaver bot',
      'ada changed the name from Lodge to Dam',
      'ada changed the role of bob from read-only to developer',
      'bob joined the team as read-only',
      'ada invited bob as read-only',
      'ada made the team Dam',
    ]);
    await rowsOf(page).first().getByRole('link', { name: 'Beaver bot' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('is filtered by what and by whom, and the address keeps it', async () => {
    const team = await createTeam(ada, 'Holt');
    await addToTeam(ada, team, bob);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/teams/${team.id}/audit`);
    await rowsOf(page).first().waitFor();
    await page.getByLabel('Who').selectOption({ label: 'bob' });
    await expect.poll(() => sentences(page), SOON).toEqual(['bob joined the team as developer']);
    await page.getByLabel('Who').selectOption({ label: 'Everybody' });
    await page.getByLabel('What').selectOption({ label: 'Members and invitations: all' });
    await expect
      .poll(() => sentences(page), SOON)
      .toEqual(['bob joined the team as developer', 'ada invited bob as developer']);
    await page.reload();
    await expect.poll(() => sentences(page), SOON).toHaveLength(2);
    await page.getByLabel('What').selectOption({ label: 'Member left' });
    await page.getByText('Nothing of this was done.').waitFor();
    await page.goBack();
    await expect.poll(() => sentences(page), SOON).toHaveLength(2);
    expect(faults).toEqual([]);
    await close();
  });

  it('loads older entries, with no gap to those that came meanwhile', async () => {
    const team = await createTeam(ada, 'Weir 0');
    for (let n = 1; n <= 60; n++) await renameTeam(ada, team, `Weir ${n}`);
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360 });
    await open(`/teams/${team.id}/audit`);
    await expect.poll(() => rowsOf(page).count(), SOON).toBe(50);
    await renameTeam(ada, team, 'Weir 61');
    await page.getByText('1 new entry').waitFor();
    await page.getByRole('button', { name: 'Load older' }).click();
    await expect.poll(() => rowsOf(page).count(), SOON).toBe(62);
    expect((await sentences(page)).slice(-2)).toEqual([
      'ada changed the name from Weir 0 to Weir 1',
      'ada made the team Weir 61',
    ]);
    expect(await page.getByRole('button', { name: 'Load older' }).count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
