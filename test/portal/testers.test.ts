import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { createApplication, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';
import { addToTeam, createTeam, inviteTester, transferApplication } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let bob: Person;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
  ada = await signUp(server, 'ada');
  bob = await signUp(server, 'bob');
});

const FIELD = 'E-mail address or user ID';

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the testers'), () => {
  it('are invited by e-mail address or user id, and the page shows which one it reads', async () => {
    const { id } = await createApplication(ada, 'Otter bot');
    const carl = await signUp(server, 'carl');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${id}/testers`);
    await page.getByText('Testers can install this application while it is private.').waitFor();
    await page.getByText('0/100').waitFor();
    await page.getByLabel(FIELD).fill(bob.email);
    await page.getByText('Treated as an email address.').waitFor();
    await page.getByRole('button', { name: 'Invite tester' }).click();
    const list = page.getByRole('list', { name: 'Testers' });
    await list.getByText('bob').waitFor();
    await list.getByText(/pending · invited just now by ada/).waitFor();
    await page.getByLabel(FIELD).fill(carl.id);
    await page.getByText('Treated as a user ID.').waitFor();
    await page.getByRole('button', { name: 'Invite tester' }).click();
    await page.getByText('2/100').waitFor();
    await bob.graphql(
      `mutation ($input: ApplicationIdInput!) { acceptTesterInvitation(input: $input) { tester { state } } }`,
      { input: { applicationId: id } },
    );
    await list.getByRole('listitem').filter({ hasText: 'bob' }).getByText('accepted').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are refused at the field if they are unknown, and what was typed is kept', { tags: ['slow'] }, async () => {
    const { id } = await createApplication(ada, 'Badger bot');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${id}/testers`);
    const field = page.getByLabel(FIELD);
    for (const typed of ['nobody@people.example', '123456789012345678']) {
      await field.fill(typed);
      await page.getByRole('button', { name: 'Invite tester' }).click();
      await page.locator('input[aria-invalid=true]').waitFor();
      expect(await field.inputValue()).toBe(typed);
      await page.reload();
    }
    await field.fill(bob.email);
    await page.getByRole('button', { name: 'Invite tester' }).click();
    await page.getByText('1/100').waitFor();
    await field.fill(bob.id);
    await page.getByRole('button', { name: 'Invite tester' }).click();
    await page.getByRole('alert').getByText('This user is already a tester or has a pending invitation.').waitFor();
    await field.fill('123456789012345678');
    await page.getByRole('button', { name: 'Invite tester' }).click();
    await page.locator('input[aria-invalid=true]').waitFor();
    const nav = page.getByRole('link', { name: 'General' });
    await nav.focus();
    const cora = await signUp(server, 'cora');
    await inviteTester(ada, { id }, cora);
    await page.getByText('2/100').waitFor();
    expect(await nav.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.getByText(`client_id=${id}`).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('a developer can join the empty list of a private application, and is removed after a question', {
    tags: ['slow'],
  }, async () => {
    const { id } = await createApplication(ada, 'Vole bot');
    await update(ada, id, { public: false });
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${id}/testers`);
    await page.getByText('This application is private and has no testers').waitFor();
    await page.getByRole('button', { name: 'Add me as a tester' }).click();
    await page.getByRole('list', { name: 'Testers' }).getByText('accepted').waitFor();
    await page.getByRole('button', { name: 'Add me as a tester' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove ada' }).click();
    const question = page.getByRole('alertdialog', { name: 'Remove ada from the testers of Vole bot?' });
    await question.getByText('Their tokens stay valid').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove ada' }).click();
    await question.getByRole('button', { name: 'Remove' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByText('0/100').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(faults).toEqual([]);
    await close();
  });

  it('are disabled with the reason for a developer, and disappear for a member who leaves the team', async () => {
    const application = await createApplication(ada, 'Stoat bot');
    const team = await createTeam(ada, 'Burrow');
    await addToTeam(ada, team, bob);
    await transferApplication(ada, application, team);
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/applications/${application.id}/testers`);
    await page.getByText('You need the admin role.').waitFor();
    const off = [
      page.getByLabel(FIELD),
      page.getByRole('button', { name: 'Invite tester' }),
      page.getByRole('button', { name: 'Add me as a tester' }),
    ];
    expect(await Promise.all(off.map((part) => part.isDisabled()))).toEqual([true, true, true]);
    await bob.graphql(`mutation ($input: TeamUserInput!) { removeTeamMember(input: $input) { team { id } } }`, {
      input: { teamId: team.id, userId: bob.id },
    });
    await page.getByText('You can no longer see this application').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('do not scroll sideways on a phone', { tags: ['slow'] }, async () => {
    const { id } = await createApplication(ada, 'Phone bot');
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360 });
    await open(`/applications/${id}/testers`);
    await page.getByRole('button', { name: 'Add me as a tester' }).click();
    await page.getByRole('list', { name: 'Testers' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
